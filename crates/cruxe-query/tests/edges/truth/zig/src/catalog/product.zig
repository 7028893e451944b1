const category = @import("category.zig");
const Category = category.Category; // «Category»

pub const Product = struct {
    name: []const u8,
    cost: u32 = 0,
    category: Category = .food, // «Category Category.food»

    const Self = @This();

    pub fn init(name: []const u8) Product { // «Product»
        return .{ .name = name }; // «Product.name»
    }

    pub fn sum(self: Self) u32 {
        return self.cost; // «Product.cost»
    }

    pub fn rename(self: *Self, name: []const u8) *Self {
        self.name = name; // «Product.name»
        return self;
    }

    pub fn label(self: Product) []const u8 { // «Product»
        return self.category.label(); // «Product.category Category.label»
    }
};

pub fn free(name: []const u8) Product { // «Product»
    return Product.init(name); // «Product Product.init»
}
