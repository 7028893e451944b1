const util = @import("../util.zig");

pub const Kind = enum(u8) { ping = 1, pong, _ };

pub const Packet = packed struct {
    kind: Kind, // «net.packet.Kind»
    size: u16 = 0,

    pub const empty: Packet = .{ .kind = .ping }; // «Packet Packet.kind Kind.ping»

    pub fn answer(self: Packet) Packet { // «Packet»
        var made = self;
        made.kind = switch (self.kind) { // «Packet.kind»
            .ping => .pong, // «Kind.ping -Kind.pong»
            else => Kind.ping, // «net.packet.Kind Kind.ping»
        };
        made.size = @intCast(util.math.scaled(self.size)); // «Packet.size math.scaled»
        return made;
    }
};

pub const Header = extern union { whole: u32, part: u8 };
