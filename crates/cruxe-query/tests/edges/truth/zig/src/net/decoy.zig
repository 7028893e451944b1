// Names of others, of locals and of types that nobody uses.
pub const Decoy2 = struct {
    socket: u32, // «!Decoy2.socket»
    pub fn send(self: *Decoy2) void { // «Decoy2 !Decoy2.send»
        const answer = 1;
        _ = answer;
        _ = self;
    }
    pub fn last() void {} // «!Decoy2.last»
};
