// Functions of others, and what is known when it is compiled.
const std = @import("std");
const flags = @import("io/flags.zig");
const loop = @import("game/loop.zig");

pub extern "c" fn shop_native(count: c_int) c_int;
pub const Handle = opaque {
    pub fn closeHandle(handle: *Handle) void { // «Handle»
        _ = shop_native(@intFromPtr(handle)); // «shop_native»
    }
};

pub const Options = struct {
    verbose: bool = default_verbose, // «default_verbose»
    mode: flags.Mode = .reading, // «Mode Mode.reading»
};
const default_verbose = false;

pub fn configure(options: Options) bool { // «Options»
    if (@hasDecl(flags, "opened") and comptime isDebug()) { // «isDebug»
        return flags.opened(options.mode); // «flags.opened Options.mode»
    }
    return options.verbose; // «Options.verbose»
}

fn isDebug() bool {
    return @typeInfo(Options) == .@"struct"; // «Options»
}

pub fn main_like(handle: *Handle) !void { // «Handle»
    errdefer handle.closeHandle(); // «Handle.closeHandle»
    _ = configure(.{ .verbose = true }); // «configure Options.verbose»
    _ = try loop.play(); // «play»
    const table = [_]struct { name: []const u8, run: *const fn (Options) bool }{ // «Options»
        .{ .name = "configure", .run = configure }, // «configure»
    };
    for (table) |row| _ = row.run(.{ .mode = .writing }); // «Options.mode Mode.writing»
}
