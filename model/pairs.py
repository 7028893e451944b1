"""Turns a corpus into the bags that training reads."""

from __future__ import annotations

from array import array

import numpy as np

from bags import Bags, PieceTable
from corpus import HISTORY, Corpus
from tokens import Tokenizer
from train import Pairs


def build(corpus: Corpus, tokenizer: Tokenizer) -> Pairs:
    """Returns the bags of all pairs, and which pairs have no empty bag."""
    table = PieceTable(corpus.words, tokenizer)
    stated, derived = table.bags(corpus.stated), table.bags(corpus.derived)
    plain, prefixed = table.bags(corpus.documents), table.bags(corpus.documents, corpus.prefixes)
    neighbours = table.bags(corpus.neighbours, corpus.neighbour_prefixes)
    first_derived, first_document = _starts(corpus.first_derived), _starts(corpus.first_document)
    first_neighbour = _starts(corpus.first_neighbour)
    usable = (
        (np.diff(stated.offsets) > 0)
        & _none_empty(derived, first_derived)
        & _none_empty(plain, first_document)
        & _none_empty(neighbours, first_neighbour)
    )
    histories = [source.registry == HISTORY for source in corpus.sources]
    return Pairs(
        queries=stated.joined(derived),
        documents=plain.joined(prefixed),
        neighbours=neighbours,
        first_derived=first_derived,
        first_document=first_document,
        first_neighbour=first_neighbour,
        package_of=np.frombuffer(corpus.package_of, np.int32),
        is_history=np.array(histories, bool),
        usable=np.flatnonzero(usable),
    )


def _starts(first: array) -> np.ndarray:
    return np.frombuffer(first, np.int32).astype(np.int64)


def _none_empty(bags: Bags, first: np.ndarray) -> np.ndarray:
    """Tells for each pair whether all of its bags hold a piece."""
    empty = np.concatenate(([0], np.cumsum(np.diff(bags.offsets) == 0)))
    return empty[first[1:]] == empty[first[:-1]]
