// What has the names of others and is used by nobody.
pub const Field = struct {
    moves: u32 = 0, // «!Field.moves»
    used: u32 = 0, // «!Field.used»

    pub fn cellAt(self: Field) u32 { // «Field !Field.cellAt»
        const place = 1;
        const wins = place;
        return wins;
    }

    pub fn turn() void {} // «!Field.turn»
};
