// Everything here has a name that something else has as well, and nobody uses it.
pub const Decoy = struct {
    cost: u32, // «!Decoy.cost»

    pub fn sum() void {} // «!Decoy.sum»
    pub fn pay() void {} // «!Decoy.pay»
    pub fn touch() void {} // «!Decoy.touch»
    pub const zero = 1; // «!Decoy.zero»
};
