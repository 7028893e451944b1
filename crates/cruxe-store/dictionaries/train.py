"""Trains the dictionaries of packed facts: train.py FACTS_DB, an index of this repository. Needs `zstandard` from PyPI.

Facts of one file are small, and what files have in common (words of signatures, shapes of columns) is said once in the
dictionary. The two files here are part of the schema: other ones need a new schema version.
"""

import sqlite3
import sys
from pathlib import Path

import zstandard

HERE = Path(__file__).resolve().parent
SIZE = 8192
KINDS = ("symbols", "rest")


def plain(packed: bytes, dictionary: zstandard.ZstdCompressionDict) -> bytes:
    """Unpacks a blob: a frame and the length of its content."""
    length = int.from_bytes(packed[-4:], "little")
    return zstandard.ZstdDecompressor(dict_data=dictionary).decompress(packed[:-4], max_output_size=length)


def main() -> None:
    """Replaces both dictionaries."""
    rows = sqlite3.connect(sys.argv[1]).execute("SELECT symbols, rest FROM facts").fetchall()
    for kind, blobs in zip(KINDS, zip(*rows, strict=True), strict=True):
        file = HERE / f"{kind}.dict"
        old = zstandard.ZstdCompressionDict(file.read_bytes() if file.exists() else b"")
        samples = [sample for sample in (plain(blob, old) for blob in blobs) if 64 < len(sample) < 20_000]
        file.write_bytes(zstandard.train_dictionary(SIZE, samples).as_bytes())


if __name__ == "__main__":
    main()
