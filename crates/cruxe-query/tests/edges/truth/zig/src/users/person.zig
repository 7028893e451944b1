pub const Address = struct {
    street: []const u8,
    city: []const u8,
};

pub const Person = struct {
    name: []const u8,
    home: Address, // «Address»

    pub fn street(self: *const Person) []const u8 { // «Person»
        return self.home.street; // «Person.home Address.street»
    }

    pub fn nobody() Person { // «Person»
        return Person{ .name = "nobody", .home = .{ .street = "a", .city = "b" } }; // «Person Person.name Person.home Address.street Address.city»
    }
};
