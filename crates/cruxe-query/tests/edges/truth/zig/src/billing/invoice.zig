const std = @import("std");
const Money = @import("money.zig").Money; // «Money»

pub const Invoice = struct {
    amount: Money = Money.zero, // «Money Money.zero»

    pub fn charge(self: *Invoice, money: Money) *Invoice { // «Invoice Money»
        self.amount = self.amount.add(money); // «Invoice.amount Money.add»
        return self;
    }

    pub fn show(self: Invoice) []const u8 { // «Invoice»
        return self.amount.currency; // «Invoice.amount Money.currency»
    }
};

test "an invoice adds" {
    var invoice = Invoice{}; // «Invoice»
    _ = invoice.charge(try Money.parse("1")).show(); // «Invoice.charge Money Money.parse Invoice.show»
    try std.testing.expect(invoice.amount.amount == 0); // «Invoice.amount Money.amount»
}
