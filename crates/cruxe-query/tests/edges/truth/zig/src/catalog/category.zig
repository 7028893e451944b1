pub const Category = enum {
    food,
    tools,

    pub fn label(self: Category) []const u8 { // «Category»
        return switch (self) {
            .food => "food", // «Category.food»
            Category.tools => "tools", // «Category Category.tools»
        };
    }

    pub fn of(text: []const u8) Category { // «Category»
        return if (text.len == 0) .food else .tools; // «Category.food Category.tools»
    }
};

pub const Shade = enum { food, dark }; // «!Shade.food»
