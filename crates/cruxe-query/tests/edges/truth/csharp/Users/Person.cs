namespace Shop.Users;

public partial class Person {
    public string Name { get; set; } = "";
    public Address Home = new(); // «Address»
    partial void Renamed();
    public void Rename(string name) { Name = name; Renamed(); } // «Person.Name Person.Renamed»
}
