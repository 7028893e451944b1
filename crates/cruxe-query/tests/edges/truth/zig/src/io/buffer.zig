const std = @import("std");
const Writer = @import("Writer.zig");

pub const Buffer = struct {
    bytes: [max_bytes]u8 = undefined, // «max_bytes»
    used: usize = 0,

    const max_bytes = 64;
    const vtable_of_buffer = Writer.VTable{ .writeAll = append }; // «VTable VTable.writeAll Buffer.append»

    pub fn writer(self: *Buffer) Writer { // «Buffer»
        return .{ .ptr = self, .vtable = &vtable_of_buffer }; // «Writer.ptr Writer.vtable Buffer.vtable_of_buffer»
    }

    fn append(ctx: *anyopaque, more: []const u8) usize {
        const self: *Buffer = @ptrCast(@alignCast(ctx)); // «Buffer»
        const room = self.room(); // «Buffer.room»
        const count = @min(room, more.len);
        @memcpy(self.bytes[self.used..][0..count], more[0..count]); // «Buffer.bytes Buffer.used»
        self.used += count; // «Buffer.used»
        return count;
    }

    fn room(self: *const Buffer) usize { // «Buffer»
        return self.bytes.len - self.used; // «Buffer.bytes Buffer.used»
    }
};

test "a buffer takes what fits" {
    var buffer = Buffer{}; // «Buffer»
    const writer = buffer.writer(); // «Buffer.writer»
    _ = writer.putLine("x"); // «Writer.putLine»
    try std.testing.expect(buffer.used == 2); // «Buffer.used»
}
