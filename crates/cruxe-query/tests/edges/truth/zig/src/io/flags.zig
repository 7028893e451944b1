// Bits, sets and names.
pub const Flags = packed struct(u8) {
    read: bool = false,
    write: bool = false,
    rest: u6 = 0,

    pub const both: Flags = .{ .read = true, .write = true }; // «Flags Flags.read Flags.write»

    pub fn mayWrite(flags: Flags) bool { // «Flags»
        return flags.write and !flags.isEmptySet(); // «Flags.write Flags.isEmptySet»
    }

    fn isEmptySet(flags: Flags) bool { // «Flags»
        return @as(u8, @bitCast(flags)) == 0;
    }
};

pub const Mode = enum(u2) {
    reading,
    writing,

    pub fn flagsOf(mode: Mode) Flags { // «Mode Flags»
        return switch (mode) {
            .reading => .{ .read = true }, // «Mode.reading Flags.read»
            .writing => Flags.both, // «Mode.writing Flags Flags.both»
        };
    }
};

pub fn opened(mode: Mode) bool { // «Mode»
    const wanted = mode.flagsOf(); // «Mode.flagsOf»
    return wanted.mayWrite() or mode == .reading; // «Flags.mayWrite Mode.reading»
}
