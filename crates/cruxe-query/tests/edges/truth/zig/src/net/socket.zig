const std = @import("std");
const packet = @import("packet.zig");
const errors = @import("../util.zig").errors;
const Packet = packet.Packet; // «Packet»

pub const Handler = *const fn (Packet) void; // «Packet»

pub const Socket = struct {
    last: ?Packet = null, // «Packet»
    handler: ?Handler = null, // «Handler»

    pub fn send(self: *Socket, one: Packet) !void { // «Socket Packet»
        try errors.check(one.size > 0); // «errors.check Packet.size»
        self.last = one.answer(); // «Socket.last Packet.answer»
        if (self.handler) |handler| handler(one); // «Socket.handler»
    }

    pub fn kind(self: Socket) packet.Kind { // «Socket net.packet.Kind»
        const last = self.last orelse return .ping; // «Socket.last Kind.ping»
        return last.kind; // «Packet.kind»
    }

    pub fn close(self: *Socket) void { // «Socket»
        self.* = .{};
    }
};
