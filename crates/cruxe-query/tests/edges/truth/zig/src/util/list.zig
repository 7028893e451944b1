const std = @import("std");

pub fn List(comptime T: type) type {
    return struct {
        items: []T,
        len: usize = 0,

        const Self = @This();

        pub fn init(items: []T) Self {
            return .{ .items = items }; // «List.items»
        }

        pub fn last(self: Self) ?T {
            if (self.isEmpty()) return null; // «List.isEmpty»
            return self.items[self.len - 1]; // «List.items List.len»
        }

        pub fn isEmpty(self: *const Self) bool {
            return self.len == 0; // «List.len»
        }
    };
}

pub const Numbers = List(u32); // «List»
