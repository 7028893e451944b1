const std = @import("std");
const daily = @import("reports/daily.zig");
const clerk = @import("users/clerk.zig");
const Till = @import("billing/till.zig").Till; // «Till»
const printer = @import("tools/printer.zig");

var till = Till{}; // «Till»

pub fn start() !void {
    try daily.run(); // «daily.run»
    const one = clerk.nobody(&till); // «clerk.nobody app.till»
    std.debug.print("{s}", .{one.hello()}); // «Clerk.hello»
    printer.all(&.{}); // «printer.all»
    _ = till.demo(); // «app.till Till.demo»
}

test {
    try start(); // «start»
}
