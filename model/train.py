"""Contrastive training of the table: a query must find its document among those of the batch."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from bags import Bags


@dataclass(frozen=True)
class Settings:
    """What decides the result, apart from the data."""

    seed: int = 20261116
    steps: int = 1000
    batch: int = 1024
    # Pairs of one package stand together in a batch: the hardest negatives are the neighbours.
    group: int = 128
    rate: float = 3e-3
    last_rate: float = 0.03
    warm_up: int = 30
    temperature: float = 0.06
    smoothing: float = 0.05
    query_dropout: float = 0.1
    document_dropout: float = 0.2
    # How often the query is derived rather than stated, and the document has path and name in front.
    derived: float = 0.5
    prefixed: float = 0.5
    # How often a change is shown while every documented definition is shown once.
    change_rounds: int = 4


# One after the other: the second forgets less of the definitions and keeps what the changes taught.
ROUNDS = (Settings(), Settings(seed=20261117, steps=500, rate=2.5e-3, change_rounds=2))


@dataclass
class Pairs:
    """Bags of both sides. Queries: stated, then derived; documents: plain, then prefixed."""

    queries: Bags
    documents: Bags
    # What a query must not find though it stands beside its document.
    neighbours: Bags
    # The derived queries of pair i are rows first_derived[i] .. first_derived[i + 1] after the stated ones, and so on.
    first_derived: np.ndarray
    first_document: np.ndarray
    first_neighbour: np.ndarray
    package_of: np.ndarray
    # Which packages are histories.
    is_history: np.ndarray
    # The pairs none of whose bags is empty.
    usable: np.ndarray

    def __len__(self) -> int:
        return len(self.package_of)


class LazyAdam:
    """Adam that moves only the rows a batch touched."""

    def __init__(self, rows: np.ndarray) -> None:
        self._rows = rows
        self._mean = np.zeros_like(rows)
        self._square = np.zeros_like(rows)
        self._steps = 0

    def step(self, touched: np.ndarray, gradient: np.ndarray, rate: float) -> None:
        """Applies a gradient to the touched rows."""
        self._steps += 1
        mean = self._mean[touched] * 0.9 + gradient * 0.1
        square = self._square[touched] * 0.999 + gradient * gradient * 0.001
        self._mean[touched], self._square[touched] = mean, square
        size = rate * np.sqrt(1 - 0.999**self._steps) / (1 - 0.9**self._steps)
        self._rows[touched] -= np.float32(size) * mean / (np.sqrt(square) + np.float32(1e-8))


class Side:
    """One side of a batch: the sums of its bags and what is needed to go back through them."""

    def __init__(self, rows: np.ndarray, bags: Bags, chosen: np.ndarray, dropout: float, rng: np.random.Generator):
        self.pieces, weights, starts = bags.take(chosen)
        kept = rng.random(len(weights), dtype=np.float32) >= dropout
        # A bag must not become empty.
        kept[starts] |= np.add.reduceat(kept, starts) == 0
        self._weights = (weights * kept)[:, None]
        self._owner = np.repeat(np.arange(len(chosen)), np.diff(np.append(starts, len(weights))))
        sums = np.add.reduceat(rows[self.pieces] * self._weights, starts, axis=0)
        self._norms = np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-9)
        self.vectors = sums / self._norms

    def piece_gradients(self, gradient: np.ndarray) -> np.ndarray:
        """Returns the gradient of each piece's row from that of the unit vectors."""
        along = (gradient * self.vectors).sum(axis=1, keepdims=True)
        return ((gradient - along * self.vectors) / self._norms)[self._owner] * self._weights


def contrast(queries: np.ndarray, documents: np.ndarray, settings: Settings) -> tuple[float, np.ndarray, np.ndarray]:
    """Returns the InfoNCE loss both ways and its gradients for both sides' unit vectors.

    The first documents belong to the queries in their order; no query belongs to those beyond.
    """
    size = len(queries)
    own = np.arange(size)
    scores = queries @ documents.T / np.float32(settings.temperature)
    by_query = np.exp(scores - scores.max(axis=1, keepdims=True))
    by_query /= by_query.sum(axis=1, keepdims=True)
    by_document = np.exp(scores[:, :size] - scores[:, :size].max(axis=0))
    by_document /= by_document.sum(axis=0)
    right = by_query[own, own] * np.diag(by_document)
    loss = float(-np.log(np.maximum(right, 1e-20)).mean() / 2)
    gradient = by_query
    gradient[:, :size] += by_document - np.float32(2 * settings.smoothing / size)
    gradient[own, own] -= np.float32(2 * (1 - settings.smoothing))
    gradient /= np.float32(2 * size * settings.temperature)
    return loss, gradient @ documents, gradient.T @ queries


def batches(pairs: Pairs, settings: Settings, rng: np.random.Generator):
    """Yields arrays of pair numbers without end, each made of groups of one package."""
    while True:
        changes = pairs.usable[pairs.is_history[pairs.package_of[pairs.usable]]]
        order = rng.permutation(np.concatenate((pairs.usable, *[changes] * (settings.change_rounds - 1))))
        order = order[np.argsort(pairs.package_of[order], kind="stable")]
        borders = np.flatnonzero(np.diff(pairs.package_of[order])) + 1
        groups = [
            part[start : start + settings.group]
            for part in np.split(order, borders)
            for start in range(0, len(part), settings.group)
            if len(part) - start >= 16
        ]
        batch, size = [], 0
        for number in rng.permutation(len(groups)):
            batch.append(groups[number])
            size += len(groups[number])
            if size >= settings.batch:
                yield np.concatenate(batch)
                batch, size = [], 0


def train(rows: np.ndarray, pairs: Pairs, settings: Settings) -> np.ndarray:
    """Returns trained rows; the same seed gives the same rows."""
    rng = np.random.default_rng(settings.seed)
    rows = rows.copy()
    adam = LazyAdam(rows)
    losses, began = [], time.monotonic()
    for step, chosen in enumerate(batches(pairs, settings, rng)):
        if step == settings.steps:
            break
        queries = Side(rows, pairs.queries, query_rows(pairs, chosen, settings, rng), settings.query_dropout, rng)
        documents = Side(
            rows, pairs.documents, document_rows(pairs, chosen, settings, rng), settings.document_dropout, rng
        )
        sides = [queries, documents]
        if len(beside := neighbour_rows(pairs, chosen, rng)):
            sides.append(Side(rows, pairs.neighbours, beside, settings.document_dropout, rng))
        found = np.concatenate([side.vectors for side in sides[1:]])
        loss, query_gradient, found_gradient = contrast(queries.vectors, found, settings)
        parts = (query_gradient, found_gradient[: len(chosen)], found_gradient[len(chosen) :])
        pieces = np.concatenate([side.pieces for side in sides])
        gradients = np.concatenate([side.piece_gradients(part) for side, part in zip(sides, parts, strict=False)])
        order = np.argsort(pieces, kind="stable")
        touched, starts = np.unique(pieces[order], return_index=True)
        remaining = 1 - step / settings.steps * (1 - settings.last_rate)
        rate = settings.rate * min(1, (step + 1) / settings.warm_up) * remaining
        adam.step(touched, np.add.reduceat(gradients[order], starts, axis=0), rate)
        losses.append(loss)
        if (step + 1) % 50 == 0:
            elapsed = time.monotonic() - began
            print(f"train: step {step + 1}, loss {np.mean(losses[-50:]):.3f}, {elapsed:.0f} s", flush=True)
    return rows


def query_rows(pairs: Pairs, chosen: np.ndarray, settings: Settings, rng: np.random.Generator) -> np.ndarray:
    """Returns for each pair the row of its stated query or of one of its derived ones."""
    first, following = pairs.first_derived[chosen], pairs.first_derived[chosen + 1]
    use_derived = (rng.random(len(chosen)) < settings.derived) & (following > first)
    return np.where(use_derived, len(pairs) + picked(first, following, rng), chosen)


def document_rows(pairs: Pairs, chosen: np.ndarray, settings: Settings, rng: np.random.Generator) -> np.ndarray:
    """Returns for each pair the row of one of its documents, plain or prefixed."""
    prefixed = rng.random(len(chosen)) < settings.prefixed
    rows = picked(pairs.first_document[chosen], pairs.first_document[chosen + 1], rng)
    return rows + prefixed * pairs.first_document[-1]


def neighbour_rows(pairs: Pairs, chosen: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Returns the row of one neighbour for each pair that has any."""
    first, following = pairs.first_neighbour[chosen], pairs.first_neighbour[chosen + 1]
    return picked(first, following, rng)[following > first]


def picked(first: np.ndarray, following: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Returns one number of each range; its first if the range is empty."""
    return first + (rng.random(len(first)) * (following - first)).astype(np.int64)
