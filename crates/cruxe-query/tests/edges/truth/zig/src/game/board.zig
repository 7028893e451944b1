const std = @import("std");

pub const Point = struct {
    x: i32,
    y: i32,

    pub const origin = Point{ .x = 0, .y = 0 }; // «Point Point.x Point.y»

    pub fn moved(self: Point, by: Point) Point { // «Point»
        return .{ .x = self.x + by.x, .y = self.y + by.y }; // «Point.x Point.y»
    }
};

pub const Cell = union(enum) {
    empty_cell,
    wall: u8,
    piece: struct { at: Point, strength: u8 }, // «Point»

    pub fn isFree(self: Cell) bool { // «Cell»
        return self == .empty_cell; // «Cell.empty_cell»
    }
};

pub const Board = struct {
    cells: [3][3]Cell = undefined, // «Cell»
    moves: u32 = 0,

    pub fn cellAt(self: *Board, point: Point) *Cell { // «Board Point Cell»
        return &self.cells[@intCast(point.y)][@intCast(point.x)]; // «Board.cells Point.y Point.x»
    }

    pub fn place(self: *Board, point: Point) error{Taken}!void { // «Board Point»
        const cell = self.cellAt(point); // «Board.cellAt»
        if (!cell.isFree()) return error.Taken; // «Cell.isFree»
        cell.* = .{ .piece = .{ .at = point, .strength = 1 } }; // «-Cell.piece»
        self.moves += 1; // «Board.moves»
    }

    pub fn neighbours(self: *Board, point: Point) Neighbours { // «Board Point Neighbours»
        return .{ .board = self, .from = point }; // «Neighbours.board Neighbours.from»
    }
};

pub const Neighbours = struct {
    board: *Board, // «Board»
    from: Point, // «Point»
    at: usize = 0,

    const steps = [_]Point{ .{ .x = 1, .y = 0 }, .{ .x = 0, .y = 1 } }; // «Point Point.x Point.y»

    pub fn nextCell(self: *Neighbours) ?*Cell { // «Neighbours Cell»
        if (self.at >= steps.len) return null; // «Neighbours.at Neighbours.steps»
        defer self.at += 1; // «Neighbours.at»
        return self.board.cellAt(self.from.moved(steps[self.at])); // «Neighbours.board Board.cellAt Neighbours.from Point.moved Neighbours.steps Neighbours.at»
    }
};
