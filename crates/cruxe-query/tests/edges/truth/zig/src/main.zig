const order = @import("order.zig");
const Order = order.Order; // «Order»
const round = @import("parts.zig").round; // «round»

pub fn main() void {
    const one = Order.init(&.{}); // «Order Order.init»
    _ = one.describe(); // «Order.describe»
    _ = round(one.total()); // «round Order.total»
    if (one.state == .closed) return; // «Order.state State.closed»
    _ = order.limit; // «limit»
}
