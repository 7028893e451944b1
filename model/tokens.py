"""Splits code and prose into the word pieces of the table.

This is the reference for the reader inside Cruxe: both must give the same pieces for every text.
"""

from __future__ import annotations

import re
import unicodedata

MOST_WORDS = 600
LONGEST_WORD = 40
CONTINUATION = "##"

# Latin letters that Unicode does not take apart, in lower case.
_UNDECOMPOSED = {
    "ß": "ss", "ẞ": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "ł": "l", "þ": "th",
    "ħ": "h", "ŧ": "t", "ŋ": "n", "ŉ": "n", "ı": "i", "ĸ": "k",
}  # fmt: skip
_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+|[^\x00-\x7f]+")


def fold(text: str) -> str:
    """Writes Latin letters as ASCII in their case, other scripts in lower case, other signs as blanks."""
    if text.isascii():
        return text
    folded: list[str] = []
    for index, letter in enumerate(text):
        if letter.isascii():
            folded.append(letter)
        elif _is_mark(letter):
            # An accent of its own goes with the Latin letter before it; elsewhere it is spelling.
            if folded and not folded[-1][-1:].isascii():
                folded.append(letter)
        elif plain := _UNDECOMPOSED.get(letter) or _UNDECOMPOSED.get(letter.lower()):
            following = text[index + 1 : index + 2]
            folded.append(_in_case(plain, letter.isupper(), following.isupper()))
        elif plain := _decomposed(letter):
            folded.append(plain)
        else:
            folded.append(letter.lower() if letter.isalpha() else " ")
    return "".join(folded)


def _is_mark(letter: str) -> bool:
    return unicodedata.category(letter).startswith("M")


def _in_case(plain: str, capital: bool, all_capitals: bool) -> str:
    """`Æ` is `Ae` in `Ærø` and `AE` in `ÆRØ`: a capital in the wrong place would split the word."""
    if not capital:
        return plain
    return plain.upper() if all_capitals else plain[0].upper() + plain[1:]


def _decomposed(letter: str) -> str:
    """Returns the ASCII letters or digits of which `letter` is a form; empty if there are none."""
    parts = [part for part in unicodedata.normalize("NFKD", letter) if not _is_mark(part)]
    plain = "".join(parts)
    return plain if plain.isascii() and plain.isalnum() else ""


def words(text: str) -> list[str]:
    """Returns the lower-cased words: identifiers are split where their writers joined them."""
    # Lower-casing all words at once is much faster than one by one.
    return "\n".join(_WORD.findall(fold(text))).lower().split()


class Tokenizer:
    """Looks words up in a vocabulary, taking apart those it does not hold."""

    def __init__(self, pieces: list[str]) -> None:
        self.numbers = {piece: number for number, piece in enumerate(pieces)}
        self._known: dict[str, list[int]] = {}

    def word(self, word: str) -> list[int]:
        """Returns the pieces of one lower-cased word; none if some part of it has no piece."""
        pieces = self._known.get(word)
        if pieces is None:
            pieces = self._known[word] = self._look_up(word)
        return pieces

    def encode(self, text: str, most_words: int = MOST_WORDS) -> list[int]:
        """Returns the pieces of a text's first words."""
        return [piece for word in words(text)[:most_words] for piece in self.word(word)]

    def _look_up(self, word: str) -> list[int]:
        if word in self.numbers:
            return [self.numbers[word]]
        if not word.isascii():
            # Without blanks between words, a single character is what can still be known.
            return [self.numbers[letter] for letter in word if letter in self.numbers]
        return self._take_apart(word[:LONGEST_WORD])

    def _take_apart(self, word: str) -> list[int]:
        """Greedy WordPiece: the longest known beginning, then the longest continuation, and so on."""
        pieces = []
        start = 0
        while start < len(word):
            prefix = CONTINUATION if start else ""
            for end in range(len(word), start, -1):
                number = self.numbers.get(prefix + word[start:end])
                if number is not None:
                    pieces.append(number)
                    start = end
                    break
            else:
                return []
        return pieces
