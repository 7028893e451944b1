"""Gathers records and changes into arrays of words: queries, documents and what stands in front of a document."""

from __future__ import annotations

import json
from array import array
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

import licences
from extract import Record, fingerprint
from queries import derived, of_change, path_words
from tokens import words

# What stands for a registry where a pair comes from a history.
HISTORY = "git"
MOST_QUERY_WORDS = 120
MOST_MESSAGE_WORDS = 200
MOST_DOCUMENT_WORDS = 400


class Ragged:
    """Rows of different lengths, one after the other."""

    def __init__(self) -> None:
        self._values = array("i")
        self._offsets = array("q", [0])

    def append(self, row: list[int]) -> None:
        """Adds a row."""
        self._values.extend(row)
        self._offsets.append(len(self._values))

    def __len__(self) -> int:
        return len(self._offsets) - 1

    @property
    def values(self) -> np.ndarray:
        """All rows' values."""
        return np.frombuffer(self._values, np.int32)

    @property
    def offsets(self) -> np.ndarray:
        """Where each row begins; one more than there are rows."""
        return np.frombuffer(self._offsets, np.int64)


@dataclass
class Source:
    """A package or history that was read, and how many pairs of which kind it gave."""

    registry: str
    package: str
    version: str
    licence: str
    kinds: Counter = field(default_factory=Counter)
    languages: Counter = field(default_factory=Counter)


@dataclass
class Corpus:
    """All pairs that may be learnt from, as numbers of words."""

    words: dict[str, int] = field(default_factory=dict)
    sources: list[Source] = field(default_factory=list)
    documents: Ragged = field(default_factory=Ragged)
    prefixes: Ragged = field(default_factory=Ragged)
    stated: Ragged = field(default_factory=Ragged)
    derived: Ragged = field(default_factory=Ragged)
    # Documents that a query must not find, with what stands in front of them.
    neighbours: Ragged = field(default_factory=Ragged)
    neighbour_prefixes: Ragged = field(default_factory=Ragged)
    # For each pair: its package, and the first of its derived queries, documents and neighbours.
    package_of: array = field(default_factory=lambda: array("i"))
    first_derived: array = field(default_factory=lambda: array("i", [0]))
    first_document: array = field(default_factory=lambda: array("i", [0]))
    first_neighbour: array = field(default_factory=lambda: array("i", [0]))

    def numbers(self, found: list[str]) -> list[int]:
        """Returns the numbers of words, giving new ones a number."""
        table = self.words
        return [table.setdefault(word, len(table)) for word in found]

    def add(self, record: Record, source: int) -> bool:
        """Adds a record's pair; one without enough words is left out."""
        stated = words(record.doc)[:MOST_QUERY_WORDS]
        document = words(record.code)[:MOST_DOCUMENT_WORDS]
        short = [found for text in derived(record) if len(found := words(text)[:MOST_QUERY_WORDS]) > 1]
        if len(document) < 5 or len(stated) < 2 and not short:
            return False
        self._add_document(self.documents, self.prefixes, document, record.path, record.name)
        self._close(stated if len(stated) > 1 else short[0], short, source)
        return True

    def add_change(self, change: dict, source: int) -> bool:
        """Adds a commit: its message is to find any of the functions it changed, rather than their neighbours."""
        found = [(words(function["code"])[:MOST_DOCUMENT_WORDS], function) for function in change["functions"]]
        found = [(document, function) for document, function in found if len(document) >= 5]
        stated = words(f"{change['title']} {change['body']}")[:MOST_MESSAGE_WORDS]
        if not found or len(stated) < 3:
            return False
        for document, function in found:
            self._add_document(self.documents, self.prefixes, document, function["path"], function["name"])
        for function in change["neighbours"]:
            document = words(function["code"])[:MOST_DOCUMENT_WORDS]
            if len(document) >= 5:
                place = (function["path"], function["name"])
                self._add_document(self.neighbours, self.neighbour_prefixes, document, *place)
        self._close(stated, [words(text) for text in of_change(change)], source)
        return True

    def _add_document(self, documents: Ragged, prefixes: Ragged, document: list[str], path: str, name: str) -> None:
        documents.append(self.numbers(document))
        prefixes.append(self.numbers(path_words(path) + words(name)))

    def _close(self, stated: list[str], short: list[list[str]], source: int) -> None:
        """Ends a pair whose documents have been added."""
        self.stated.append(self.numbers(stated))
        for query in short:
            self.derived.append(self.numbers(query))
        self.first_derived.append(len(self.derived))
        self.first_document.append(len(self.documents))
        self.first_neighbour.append(len(self.neighbours))
        self.package_of.append(source)


def read_records(path: Path) -> tuple[dict[str, str], Iterator[Record]]:
    """Returns the head of a package's file and its records."""
    lines = path.open(encoding="utf8")
    head = json.loads(next(lines))
    return head, (Record(**json.loads(line)) for line in lines)


def held_out_fingerprints(paths: list[Path]) -> set[bytes]:
    """Returns the hashes of everything the table is judged on."""
    found = set()
    for path in paths:
        for record in read_records(path)[1]:
            found.add(fingerprint(record.code))
            if record.kind == "definition":
                found.add(fingerprint(record.doc))
    return found


def read_changes(path: Path) -> tuple[dict[str, str], Iterator[dict]]:
    """Returns the head of a history's file and its changes."""
    lines = path.open(encoding="utf8")
    head = json.loads(next(lines))
    return head, (json.loads(line) for line in lines)


def gather(paths: list[Path], histories: list[Path], held_out: list[Path]) -> Corpus:
    """Reads the permitted packages and histories; copies of a pair are taken once, of held-out text not at all."""
    corpus = Corpus()
    judged = held_out_fingerprints(held_out)
    seen: set[bytes] = set()
    for path in paths:
        head, found = read_records(path)
        if not licences.is_permissive(head["licence"]):
            continue
        source = Source(**head)
        for record in found:
            code = fingerprint(record.code)
            if code in seen or code in judged:
                continue
            if record.kind == "definition" and fingerprint(record.doc) in judged:
                continue
            if corpus.add(record, len(corpus.sources)):
                seen.add(code)
                source.kinds[record.kind] += 1
                source.languages[record.language] += 1
        if source.kinds:
            corpus.sources.append(source)
    for path in histories:
        gather_history(corpus, path, judged)
    return corpus


def gather_history(corpus: Corpus, path: Path, judged: set[bytes]) -> None:
    """Adds the changes of one history, if its licence permits."""
    head, changes = read_changes(path)
    if not licences.is_permissive(head["licence"]):
        return
    source = Source(HISTORY, head["repository"], head["commit"][:12], head["licence"])
    for change in changes:
        texts = [function["code"] for function in change["functions"]]
        if judged.isdisjoint(map(fingerprint, texts)) and corpus.add_change(change, len(corpus.sources)):
            source.kinds["change"] += 1
            source.languages.update({function["language"] for function in change["functions"]})
    if source.kinds:
        corpus.sources.append(source)
