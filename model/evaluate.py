"""Judges a table on what it never saw: does documentation find its definition, a message its change?"""

from __future__ import annotations

import math
import random
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bags import embed
from corpus import read_changes, read_records
from queries import STOP_WORDS, derived
from tokens import Tokenizer, words

MOST_QUERIES = 300
DENSE_SHARE = 0.7


@dataclass
class Benchmark:
    """Queries, the documents they are asked of, and which of these is right."""

    name: str
    queries: list[str]
    short_queries: list[str]
    documents: list[str]
    # For each query the documents that are right.
    right: list[list[int]]
    lexical: np.ndarray
    short_lexical: np.ndarray


def load_benchmark(name: str, kind: str, paths: list[Path], seed: int) -> Benchmark:
    """Samples queries from held-out records, and scores them lexically once."""
    records = [record for path in paths for record in read_records(path)[1] if record.kind == kind]
    documents = [record.code for record in records]
    asked = sorted(random.Random(seed).sample(range(len(records)), min(MOST_QUERIES, len(records))))
    queries = [records[number].doc for number in asked]
    short = [(derived(records[number]) or [records[number].doc])[0] for number in asked]
    lexical = Lexical(documents)
    right = [[number] for number in asked]
    return Benchmark(name, queries, short, documents, right, lexical.scores(queries), lexical.scores(short))


def load_history(path: Path, seed: int) -> Benchmark:
    """Samples messages of a held-out history, long and short, and every function its commits saw as a document."""
    head, found = read_changes(path)
    changes = list(found)
    numbers: dict[tuple[str, str], int] = {}
    documents: list[str] = []
    for change in changes:
        for function in change["functions"] + change["neighbours"]:
            place = (function["path"], function["name"])
            if place not in numbers:
                numbers[place] = len(documents)
                documents.append(f"{function['path']} {function['name']}\n{function['code']}")
    asked = random.Random(seed).sample(changes, min(MOST_QUERIES, len(changes)))
    queries = [f"{change['title']}\n{change['body']}" for change in asked]
    short = [change["title"] for change in asked]
    right = [
        sorted({numbers[function["path"], function["name"]] for function in change["functions"]}) for change in asked
    ]
    lexical = Lexical(documents)
    return Benchmark(
        head["repository"], queries, short, documents, right, lexical.scores(queries), lexical.scores(short)
    )


class Lexical:
    """BM25 over split identifiers."""

    def __init__(self, documents: list[str], k1: float = 1.2, b: float = 0.75) -> None:
        self._size = len(documents)
        self._postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
        lengths = np.zeros(self._size)
        for number, document in enumerate(documents):
            counts = Counter(words(document))
            lengths[number] = counts.total()
            for word, count in counts.items():
                self._postings[word].append((number, count))
        self._k1 = k1
        self._floor = k1 * (1 - b + b * lengths / max(lengths.mean(), 1))

    def scores(self, queries: list[str]) -> np.ndarray:
        """Returns the score of each document for each query."""
        scores = np.zeros((len(queries), self._size), np.float32)
        for row, query in zip(scores, queries, strict=True):
            for word in words(query):
                postings = self._postings.get(word)
                if word in STOP_WORDS or not postings:
                    continue
                rarity = math.log(1 + (self._size - len(postings) + 0.5) / (len(postings) + 0.5))
                for number, count in postings:
                    row[number] += rarity * count * (self._k1 + 1) / (count + self._floor[number])
        return scores


def rank_figures(scores: np.ndarray, right: list[list[int]]) -> tuple[float, float]:
    """Returns MRR@10 and Recall@10 of the first right document; ties share their places."""
    own = np.array([row[numbers].max() for row, numbers in zip(scores, right, strict=True)])[:, None]
    ranks = (scores > own).sum(axis=1) + 1 + ((scores == own).sum(axis=1) - 1) / 2
    within = ranks <= 10
    return float(np.where(within, 1 / ranks, 0).mean()), float(within.mean())


def spread(scores: np.ndarray) -> np.ndarray:
    """Stretches each query's scores to 0..1."""
    low, high = scores.min(axis=1, keepdims=True), scores.max(axis=1, keepdims=True)
    return (scores - low) / (high - low + 1e-9)


def judge(benchmark: Benchmark, rows: np.ndarray, tokenizer: Tokenizer) -> dict[str, tuple[float, float]]:
    """Returns the figures of BM25, of the table alone, and of both fused, for long and short queries."""
    documents = embed(rows, tokenizer, benchmark.documents)
    figures = {}
    for prefix, queries, lexical in (
        ("", benchmark.queries, benchmark.lexical),
        ("short ", benchmark.short_queries, benchmark.short_lexical),
    ):
        dense = embed(rows, tokenizer, queries) @ documents.T
        fused = DENSE_SHARE * spread(dense) + (1 - DENSE_SHARE) * spread(lexical)
        figures[prefix + "bm25"] = rank_figures(lexical, benchmark.right)
        figures[prefix + "alone"] = rank_figures(dense, benchmark.right)
        figures[prefix + "fused"] = rank_figures(fused, benchmark.right)
    return figures


def report(benchmarks: list[Benchmark], rows: np.ndarray, pieces: list[str]) -> str:
    """Returns a table of MRR@10/Recall@10, one line per corpus and their mean."""
    tokenizer = Tokenizer(pieces)
    judged = [judge(benchmark, rows, tokenizer) for benchmark in benchmarks]
    columns = list(judged[0])
    lines = ["| corpus | " + " | ".join(columns) + " |", "| --- |" + " --- |" * len(columns)]
    for benchmark, figures in zip(benchmarks, judged, strict=True):
        cells = (f"{figures[column][0]:.3f} / {figures[column][1]:.3f}" for column in columns)
        lines.append(f"| {benchmark.name} ({len(benchmark.documents)}) | " + " | ".join(cells) + " |")
    means = (np.mean([figures[column] for figures in judged], axis=0) for column in columns)
    lines.append("| **mean** | " + " | ".join(f"{mrr:.3f} / {recall:.3f}" for mrr, recall in means) + " |")
    return "\n".join(lines)
