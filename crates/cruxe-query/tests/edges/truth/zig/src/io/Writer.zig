// A file that is a structure, with functions behind pointers.
const std = @import("std");
const Writer = @This();

ptr: *anyopaque,
vtable: *const VTable, // «VTable»

pub const VTable = struct {
    writeAll: *const fn (ctx: *anyopaque, bytes: []const u8) usize,
    flushAll: *const fn (ctx: *anyopaque) void = noFlush, // «noFlush»
};

fn noFlush(ctx: *anyopaque) void {
    _ = ctx;
}

pub fn put(self: Writer, bytes: []const u8) usize { // «Writer»
    defer self.vtable.flushAll(self.ptr); // «Writer.vtable VTable.flushAll Writer.ptr»
    return self.vtable.writeAll(self.ptr, bytes); // «Writer.vtable VTable.writeAll Writer.ptr»
}

pub fn putLine(self: Writer, bytes: []const u8) usize { // «Writer»
    return self.put(bytes) + self.put("\n"); // «Writer.put»
}
