const board_file = @import("board.zig");
const Board = board_file.Board; // «Board»
const Point = board_file.Point; // «Point»

pub const Strategy = fn (board: *Board) ?Point; // «Board Point»

pub fn Player(comptime choose: Strategy) type { // «Strategy»
    return struct {
        wins: u32 = 0,

        const Me = @This();

        pub fn turn(self: *Me, board: *Board) !bool { // «Board»
            const point = choose(board) orelse return false;
            try board.place(point); // «Board.place»
            self.won(); // «Player.won»
            return true;
        }

        fn won(self: *Me) void {
            self.wins += 1; // «Player.wins»
        }
    };
}

pub fn firstFree(board: *Board) ?Point { // «Board Point»
    return if (board.cellAt(Point.origin).isFree()) Point.origin else null; // «Board.cellAt Point Point.origin Cell.isFree»
}

pub const Simple = Player(firstFree); // «Player firstFree»
