pub const Line = struct {
    amount: u32,

    pub fn price(self: Line) u32 { // «Line»
        return round(self.amount); // «round Line.amount»
    }
};

pub fn round(x: u32) u32 {
    return x;
}
