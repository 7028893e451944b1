pub const math = @import("util/math.zig");
pub const errors = @import("util/errors.zig");
pub const List = @import("util/list.zig").List; // «util.list.List»
pub usingnamespace @import("util/extra.zig");
