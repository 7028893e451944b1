namespace Shop.Users;

public partial class Person {
    private int renames;
    partial void Renamed() { renames++; } // «Person.renames»
    public string Street() { return Home.Street; } // «Person.Home Address.Street»
}
