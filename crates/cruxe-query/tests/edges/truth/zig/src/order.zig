const std = @import("std");
const parts = @import("parts.zig");
const Line = parts.Line; // «Line»

pub const State = enum { open, closed };
pub const limit: u32 = 10;

pub const Order = struct {
    lines: []const Line, // «Line»
    state: State = .open, // «State State.open»

    pub fn init(lines: []const Line) Order { // «Line Order»
        return Order{ .lines = lines }; // «Order Order.lines»
    }

    pub fn total(self: *const Order) u32 { // «Order»
        var sum: u32 = limit; // «limit»
        for (self.lines) |line| sum += line.price(); // «Order.lines Line.price»
        return sum;
    }

    pub fn describe(self: *const Order) u32 { // «Order»
        return self.total(); // «Order.total»
    }
};
