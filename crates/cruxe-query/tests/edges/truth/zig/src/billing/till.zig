const payment = @import("payment.zig");
const Payment = payment.Payment; // «Payment»

pub const Till = struct {
    last: ?Payment = null, // «Payment»

    pub fn take(self: *Till, one: Payment) bool { // «Till Payment»
        self.last = one; // «Till.last»
        return one.settle(); // «Payment.settle»
    }

    pub fn again(self: *Till) bool { // «Till»
        const last = self.last orelse return false; // «Till.last»
        return last.settle(); // «Payment.settle»
    }

    pub fn forced(self: *Till) bool { // «Till»
        return self.last.?.settle(); // «Till.last Payment.settle»
    }

    pub fn demo(self: *Till) bool { // «Till»
        return self.take(.{ .cash = .{ .coins = 1 } }); // «Till.take Payment.cash Cash.coins»
    }
};
