const text = @import("text.zig");
const shorten = text.shorten; // «shorten»

pub fn print(name: []const u8) usize {
    return shorten(name).len + text.width + text.twice(name); // «shorten width twice»
}

pub const Callback = *const fn ([]const u8) usize;

pub fn each(names: []const []const u8, callback: Callback) void { // «Callback»
    for (names) |name| _ = callback(name);
}

pub fn all(names: []const []const u8) void {
    each(names, print); // «each printer.print»
    each(names, &text.twice); // «each twice»
}
