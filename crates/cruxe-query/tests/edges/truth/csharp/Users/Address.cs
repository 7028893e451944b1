namespace Shop.Users;

public struct Address {
    public string Street;
    public string City;
    public void Deconstruct(out string street, out string city) { street = Street; city = City; } // «Address.Street Address.City»
    public static implicit operator string(Address address) { return address.City; } // «Address Address.City»
}
