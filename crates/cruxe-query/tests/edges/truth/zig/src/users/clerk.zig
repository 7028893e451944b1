const person = @import("person.zig");
const Till = @import("../billing/till.zig").Till; // «Till»
const Card = @import("../billing/payment.zig").Card; // «Card»

pub const Clerk = struct {
    who: person.Person, // «Person»
    till: *Till, // «Till»

    pub fn serve(self: *Clerk, card: Card) bool { // «Clerk Card»
        return self.till.take(.{ .card = card }) and card.pay(); // «Clerk.till Till.take Payment.card Card.pay»
    }

    pub fn hello(self: Clerk) []const u8 { // «Clerk»
        const home = self.who.home; // «Clerk.who Person.home»
        if (home.city.len > 0) return home.city; // «Address.city»
        return self.who.street(); // «Clerk.who Person.street»
    }
};

pub fn nobody(till: *Till) Clerk { // «Till Clerk»
    return .{ .who = person.Person.nobody(), .till = till }; // «Clerk.who Person Person.nobody Clerk.till»
}
