pub const width: usize = 80;

pub fn shorten(text: []const u8) []const u8 {
    return text[0..@min(text.len, width)]; // «width»
}

pub fn twice(text: []const u8) usize {
    return shorten(text).len * factor; // «shorten factor»
}

const factor = 2;
