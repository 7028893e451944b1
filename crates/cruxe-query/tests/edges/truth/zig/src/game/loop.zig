const std = @import("std");
const players = @import("player.zig");
const board_file = @import("board.zig");

const GameState = union(enum) {
    waiting,
    playing: struct { round: u32 },
    over: []const u8,

    fn nextState(self: GameState) GameState { // «GameState»
        return switch (self) {
            .waiting => GameState{ .playing = .{ .round = 1 } }, // «GameState.waiting GameState GameState.playing»
            .playing => |game| if (game.round > max_rounds) GameState{ .over = "end" } else self, // «GameState.playing max_rounds GameState GameState.over»
            .over => self, // «GameState.over»
        };
    }
};

const max_rounds = 9;

pub fn play() !u32 {
    var board = board_file.Board{}; // «Board»
    var one = players.Simple{}; // «Simple»
    var state: GameState = .waiting; // «GameState GameState.waiting»
    outer: while (true) {
        state = state.nextState(); // «GameState.nextState»
        if (state == .over) break :outer; // «GameState.over»
        if (!try one.turn(&board)) break; // «Player.turn»
        var cells = board.neighbours(board_file.Point.origin); // «Board.neighbours Point Point.origin»
        while (cells.nextCell()) |cell| { // «Neighbours.nextCell»
            if (cell.isFree()) continue :outer; // «Cell.isFree»
        }
    }
    const result = blk: {
        if (board.moves == 0) break :blk one.wins; // «Board.moves Player.wins»
        break :blk board.moves; // «Board.moves»
    };
    return result;
}

test play { // «play»
    try std.testing.expect(try play() > 0); // «play»
}
