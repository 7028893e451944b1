const std = @import("std");
const Socket = @import("socket.zig").Socket; // «Socket»
const net = @import("packet.zig");
const util = @import("../util.zig");

pub const Client = struct {
    socket: Socket, // «Socket»
    queue: util.List(net.Packet), // «util.list.List Packet»

    pub fn run(self: *Client) void { // «Client»
        errdefer self.socket.close(); // «Client.socket Socket.close»
        while (self.queue.last()) |one| { // «Client.queue List.last»
            self.socket.send(one) catch |problem| { // «Client.socket Socket.send»
                _ = util.errors.describe(problem); // «errors.describe»
            };
        }
        const header = net.Header{ .whole = 1 }; // «Header Header.whole»
        _ = header.part; // «Header.part»
        _ = net.Packet.empty.size + util.math.deeper(2); // «Packet Packet.empty Packet.size math.deeper»
    }
};

test "client" {
    var client: Client = undefined; // «Client»
    client.run(); // «Client.run»
    comptime var at = 0;
    inline for (.{ 1, 2 }) |one| at += one;
}
