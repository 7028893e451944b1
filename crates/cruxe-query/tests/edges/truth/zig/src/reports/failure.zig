pub const Failure = error{ Empty, Broken };

pub fn load(path: []const u8) Failure!u32 { // «Failure»
    if (path.len == 0) return Failure.Empty; // «Failure Failure.Empty»
    return error.Broken; // «Failure.Broken»
}

pub fn safe(path: []const u8) u32 {
    return load(path) catch |failure| switch (failure) { // «load»
        error.Empty => 0, // «Failure.Empty»
        Failure.Broken => 1, // «Failure Failure.Broken»
    };
}
