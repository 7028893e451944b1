pub const Product = @import("catalog/product.zig").Product; // «catalog.product.Product»
pub const Bundle = @import("catalog/bundle.zig").Bundle; // «catalog.bundle.Bundle»
pub const Category = @import("catalog/category.zig").Category; // «catalog.category.Category»
pub const free = @import("catalog/product.zig").free; // «catalog.product.free»
