pub const ReadError = error{ Missing, Torn };
pub const WriteError = error{Full};
pub const AnyError = ReadError || WriteError; // «ReadError WriteError»

pub fn describe(problem: AnyError) []const u8 { // «AnyError»
    return switch (problem) {
        error.Missing => "missing", // «ReadError.Missing»
        ReadError.Torn => "torn", // «ReadError ReadError.Torn»
        error.Full => "full", // «WriteError.Full»
    };
}

pub fn check(ok: bool) ReadError!void { // «ReadError»
    if (!ok) return error.Torn; // «ReadError.Torn»
}
