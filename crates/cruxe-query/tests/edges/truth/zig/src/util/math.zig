pub const scale: u32 = 10;
pub var calls: u32 = 0;
threadlocal var depth: u32 = 0;

pub inline fn scaled(x: u32) u32 {
    calls += 1; // «math.calls»
    return x * scale; // «math.scale»
}

pub fn deeper(x: u32) u32 {
    depth += 1; // «math.depth»
    defer depth -= 1; // «math.depth»
    return if (x == 0) depth else deeper(x - 1); // «math.depth math.deeper»
}

pub export fn shop_scaled(x: u32) u32 {
    return scaled(x); // «math.scaled»
}
