"""Chooses the table's word pieces from the words of the permitted packages."""

from __future__ import annotations

import re
import unicodedata

import numpy as np

from corpus import Corpus
from tokens import Tokenizer

MOST_PIECES = 37_000
LEAST_COUNT = 8
LEAST_PACKAGES = 3
_TEACHER_PIECE = re.compile(r"(##)?[a-z0-9]+")
_HEXADECIMAL = re.compile(r"[0-9a-f]+")


def word_statistics(corpus: Corpus) -> tuple[np.ndarray, np.ndarray]:
    """Returns how often each word occurs, and in how many packages."""
    size = len(corpus.words)
    counts = np.zeros(size, np.int64)
    package_of = np.frombuffer(corpus.package_of, np.int32)
    package_of_document = np.repeat(package_of, np.diff(np.frombuffer(corpus.first_document, np.int32)))
    owners = []
    for ragged, package_of_row in ((corpus.stated, package_of), (corpus.documents, package_of_document)):
        counts += np.bincount(ragged.values, minlength=size)
        package = np.repeat(package_of_row, np.diff(ragged.offsets)).astype(np.int64)
        owners.append(np.unique(package * size + ragged.values))
    packages = np.bincount(np.unique(np.concatenate(owners)) % size, minlength=size)
    return counts, packages


def choose(corpus: Corpus, teacher_pieces: list[str]) -> list[str]:
    """Returns the teacher's ASCII pieces, then the commonest other words and characters of the corpus.

    The teacher's pieces let any ASCII word be taken apart; the others are words of code that it would
    have to take apart. Of other scripts only what the corpus holds is known.
    """
    counts, packages = word_statistics(corpus)
    base = [piece for piece in teacher_pieces if _TEACHER_PIECE.fullmatch(piece)]
    known = set(base)
    by_number = list(corpus.words)
    mined = []
    for number in np.argsort(-counts, kind="stable"):
        word = by_number[number]
        if counts[number] < LEAST_COUNT or len(base) + len(mined) >= MOST_PIECES:
            break
        if packages[number] >= LEAST_PACKAGES and word not in known and _is_word(word):
            mined.append(word)
    return base + mined + _characters(corpus, counts, known | set(mined))


def _is_word(word: str) -> bool:
    if not word.isascii():
        return len(word) <= 8
    return 2 <= len(word) <= 24 and not _HEXADECIMAL.fullmatch(word)


def _is_ideograph(letter: str) -> bool:
    return unicodedata.name(letter, "").startswith("CJK UNIFIED IDEOGRAPH")


def _characters(corpus: Corpus, counts: np.ndarray, known: set[str]) -> list[str]:
    """Returns the ideographs that occur often enough to have a meaning.

    A letter of an alphabet has none: a word of which only letters are known is better not known at all.
    """
    totals: dict[str, int] = {}
    for word, number in corpus.words.items():
        if not word.isascii():
            for letter in filter(_is_ideograph, set(word)):
                totals[letter] = totals.get(letter, 0) + int(counts[number])
    return sorted(letter for letter, total in totals.items() if total >= 5 * LEAST_COUNT and letter not in known)


def piece_frequencies(corpus: Corpus, tokenizer: Tokenizer) -> np.ndarray:
    """Returns how often each piece occurs in the corpus."""
    counts, _ = word_statistics(corpus)
    frequencies = np.zeros(len(tokenizer.numbers), np.int64)
    for word, count in zip(corpus.words, counts, strict=True):
        for piece in tokenizer.word(word):
            frequencies[piece] += count
    return frequencies
