"""Writes and reads the table file, `CQSE`."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np

MAGIC = b"CQSE"
VERSION = 1
HEADER = struct.Struct("<4sIIII")


def quantise(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Returns int8 rows and the f32 scale of each."""
    scales = (np.abs(rows).max(axis=1) / 127 + 1e-12).astype("<f4")
    return np.clip(np.round(rows / scales[:, None]), -127, 127).astype(np.int8), scales


def write_table(path: Path, pieces: list[str], rows: np.ndarray) -> None:
    """Writes the table; `rows` are floats and are quantised here."""
    values, scales = quantise(rows)
    encoded = [piece.encode() for piece in pieces]
    vocabulary = b"".join(bytes([len(piece)]) + piece for piece in encoded)
    header = HEADER.pack(MAGIC, VERSION, rows.shape[1], len(pieces), len(vocabulary))
    path.write_bytes(header + vocabulary + scales.tobytes() + values.tobytes())


def read_table(path: Path) -> tuple[list[str], np.ndarray]:
    """Returns the pieces and the rows as the reader inside Cruxe sees them."""
    data = path.read_bytes()
    magic, version, dims, count, vocabulary_bytes = HEADER.unpack_from(data)
    if magic != MAGIC or version != VERSION:
        raise ValueError(f"{path} is no CQSE table of version {VERSION}")
    pieces, at = [], HEADER.size
    for _ in range(count):
        length = data[at]
        pieces.append(data[at + 1 : at + 1 + length].decode())
        at += 1 + length
    if at != HEADER.size + vocabulary_bytes:
        raise ValueError(f"{path}: the vocabulary does not fill its place")
    scales = np.frombuffer(data, "<f4", count, at)
    values = np.frombuffer(data, np.int8, count * dims, at + 4 * count).reshape(count, dims)
    return pieces, values.astype(np.float32) * scales[:, None]
