const catalog = @import("../catalog.zig");
const failure = @import("failure.zig");

pub fn describe(one: catalog.Product) []const u8 { // «catalog.product.Product»
    if (one.category == .tools) return one.label(); // «Product.category Category.tools Product.label»
    return switch (one.category) { // «Product.category»
        .food => one.name, // «Category.food Product.name»
        else => catalog.Category.of("x").label(), // «catalog.category.Category Category.of Category.label»
    };
}

pub fn run() !void {
    var one = catalog.free("y"); // «catalog.product.free»
    _ = one.rename("z").sum(); // «Product.rename Product.sum»
    _ = try failure.load("x"); // «load»
    _ = failure.safe("x"); // «safe»
    const bundle: catalog.Bundle = .{ .parts = &.{one} }; // «catalog.bundle.Bundle Bundle.parts»
    _ = bundle.total(); // «Bundle.total»
}
