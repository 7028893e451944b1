pub const Money = struct {
    amount: u32,
    currency: []const u8 = euro, // «Money.euro»

    pub const zero = Money{ .amount = 0 }; // «Money Money.amount»
    const euro = "EUR";

    pub fn add(a: Money, b: Money) Money { // «Money»
        return Money{ .amount = a.amount + b.amount }; // «Money Money.amount»
    }

    pub fn parse(text: []const u8) !Money { // «Money»
        if (text.len == 0) return error.Empty;
        return zero; // «Money.zero»
    }
};
