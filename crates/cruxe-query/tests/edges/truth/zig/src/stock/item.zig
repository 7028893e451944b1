const Product = @import("../catalog.zig").Product; // «catalog.product.Product»

left: u32 = 0,
product: Product, // «catalog.product.Product»

const Item = @This();

pub fn init(product: Product) Item { // «catalog.product.Product Item»
    return .{ .product = product }; // «item.product»
}

pub fn touch(self: *Item) void { // «Item»
    self.left += 1; // «item.left»
}

pub fn name(self: Item) []const u8 { // «Item»
    return self.product.name; // «item.product Product.name»
}
