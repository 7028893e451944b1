const std = @import("std");
const net = @import("src/net/client.zig");

pub fn build(b: *std.Build) void {
    const exe = b.addExecutable(.{ .name = "shop" });
    b.installArtifact(exe);
    _ = net.Client; // «Client»
    step(b); // «build.step»
}

fn step(b: *std.Build) void {
    _ = b;
}
