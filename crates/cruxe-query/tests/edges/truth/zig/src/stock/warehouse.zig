const Item = @import("item.zig");
const Repository = @import("repository.zig").Repository; // «Repository»

const Items = Repository(Item); // «Repository»

pub const Warehouse = struct {
    items: Items, // «Items»

    pub fn fill(self: *Warehouse, item: *Item) void { // «Warehouse»
        item.touch(); // «item.touch»
        self.items.save(item.*); // «Warehouse.items Repository.save»
        _ = self.items.find(0).name(); // «Warehouse.items Repository.find item.name»
    }
};
