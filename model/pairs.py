"""Turns a corpus into the bags that training reads."""

from __future__ import annotations

import numpy as np

from bags import PieceTable
from corpus import Corpus
from tokens import Tokenizer
from train import Pairs


def build(corpus: Corpus, tokenizer: Tokenizer) -> Pairs:
    """Returns the bags of all pairs, and which pairs have no empty bag."""
    table = PieceTable(corpus.words, tokenizer)
    stated, derived = table.bags(corpus.stated), table.bags(corpus.derived)
    plain, prefixed = table.bags(corpus.documents), table.bags(corpus.documents, corpus.prefixes)
    first = np.frombuffer(corpus.first_derived, np.int32).astype(np.int64)
    empty = np.concatenate(([0], np.cumsum(np.diff(derived.offsets) == 0)))
    usable = (np.diff(stated.offsets) > 0) & (np.diff(plain.offsets) > 0) & (empty[first[1:]] == empty[first[:-1]])
    return Pairs(
        queries=stated.joined(derived),
        documents=plain.joined(prefixed),
        first_derived=first,
        package_of=np.frombuffer(corpus.package_of, np.int32),
        usable=np.flatnonzero(usable),
    )
