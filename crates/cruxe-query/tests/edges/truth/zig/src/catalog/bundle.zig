const product = @import("product.zig");

pub const Bundle = struct {
    parts: []const product.Product, // «Product»

    pub fn total(self: *const Bundle) u32 { // «Bundle»
        var all: u32 = 0;
        for (self.parts) |part| { // «Bundle.parts»
            all += part.sum(); // «Product.sum»
        }
        for (self.parts, 0..) |*part, at| all += part.sum() + at; // «Bundle.parts Product.sum»
        return all;
    }

    pub fn first(self: Bundle) ?product.Product { // «Bundle Product»
        return if (self.parts.len > 0) self.parts[0] else null; // «Bundle.parts»
    }

    pub fn name(self: Bundle) []const u8 { // «Bundle»
        if (self.first()) |one| return one.name; // «Bundle.first Product.name»
        return product.free("x").name; // «free Product.name»
    }
};
