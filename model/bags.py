"""Bags of pieces: what an embedding is the weighted sum of."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from corpus import Ragged
from tokens import Tokenizer

_ROWS_AT_ONCE = 20_000


@dataclass
class Bags:
    """The distinct pieces of each text with the square roots of their counts."""

    offsets: np.ndarray
    pieces: np.ndarray
    weights: np.ndarray

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def take(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Returns the pieces and weights of some rows one after the other, and where each row begins."""
        lengths = self.offsets[rows + 1] - self.offsets[rows]
        starts = np.concatenate(([0], np.cumsum(lengths)[:-1]))
        places = np.repeat(self.offsets[rows] - starts, lengths) + np.arange(lengths.sum())
        return self.pieces[places], self.weights[places], starts

    def joined(self, other: Bags) -> Bags:
        """Returns these rows followed by the other's."""
        return Bags(
            np.concatenate((self.offsets, other.offsets[1:] + self.offsets[-1])),
            np.concatenate((self.pieces, other.pieces)),
            np.concatenate((self.weights, other.weights)),
        )


class PieceTable:
    """The pieces of every word of a corpus."""

    def __init__(self, words: dict[str, int], tokenizer: Tokenizer) -> None:
        pieces = [tokenizer.word(word) for word in words]
        self.size = len(tokenizer.numbers)
        self._lengths = np.array([len(found) for found in pieces], np.int64)
        self._starts = np.concatenate(([0], np.cumsum(self._lengths)))
        self._values = np.array([piece for found in pieces for piece in found], np.int64)

    def bags(self, *parts: Ragged) -> Bags:
        """Returns one bag per row; several parts are read as one text."""
        rows = len(parts[0])
        if rows == 0:
            return Bags(np.zeros(1, np.int64), np.zeros(0, np.int32), np.zeros(0, np.float32))
        chunks = [self._some(parts, start, min(start + _ROWS_AT_ONCE, rows)) for start in range(0, rows, _ROWS_AT_ONCE)]
        lengths = np.concatenate([lengths for lengths, _, _ in chunks])
        return Bags(
            np.concatenate(([0], np.cumsum(lengths))),
            np.concatenate([pieces for _, pieces, _ in chunks]),
            np.concatenate([weights for _, _, weights in chunks]),
        )

    def _some(self, parts: tuple[Ragged, ...], start: int, end: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        keys = []
        for part in parts:
            offsets = part.offsets[start : end + 1]
            words = part.values[offsets[0] : offsets[-1]]
            row_of_word = np.repeat(np.arange(end - start), np.diff(offsets))
            lengths = self._lengths[words]
            first = np.cumsum(lengths) - lengths
            places = np.repeat(self._starts[words] - first, lengths) + np.arange(lengths.sum())
            keys.append(np.repeat(row_of_word, lengths) * self.size + self._values[places])
        distinct, counts = np.unique(np.concatenate(keys), return_counts=True)
        lengths = np.bincount(distinct // self.size, minlength=end - start)
        return lengths, (distinct % self.size).astype(np.int32), np.sqrt(counts).astype(np.float32)


def embed(rows: np.ndarray, tokenizer: Tokenizer, texts: list[str]) -> np.ndarray:
    """Returns the vectors of texts as the program computes them; zeros where no word is known."""
    vectors = np.zeros((len(texts), rows.shape[1]), np.float32)
    for number, text in enumerate(texts):
        counts = Counter(tokenizer.encode(text))
        if counts:
            pieces = np.fromiter(counts.keys(), np.int64, len(counts))
            weights = np.sqrt(np.fromiter(counts.values(), np.float32, len(counts)))
            vectors[number] = weights @ rows[pieces]
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
