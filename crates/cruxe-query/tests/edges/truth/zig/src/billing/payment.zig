const Money = @import("money.zig").Money; // «Money»

pub const Card = struct {
    money: Money, // «Money»
    number: []const u8,

    pub fn pay(self: Card) bool { // «Card»
        return self.number.len > 0; // «Card.number»
    }
};

pub const Cash = struct {
    coins: u32,

    pub fn pay(self: Cash) bool { // «Cash»
        return self.coins > 0; // «Cash.coins»
    }
};

pub const Payment = union(enum) {
    card: Card, // «Card»
    cash: Cash, // «Cash»
    none,

    pub fn settle(self: Payment) bool { // «Payment»
        return switch (self) {
            .card => |card| card.pay(), // «Payment.card Card.pay»
            .cash => |cash| cash.pay(), // «Payment.cash Cash.pay»
            .none => false, // «Payment.none»
        };
    }
};
