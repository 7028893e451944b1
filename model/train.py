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


@dataclass
class Pairs:
    """Bags of both sides. Queries: stated, then derived; documents: plain, then prefixed."""

    queries: Bags
    documents: Bags
    # The derived queries of pair i are rows first_derived[i] .. first_derived[i + 1] after the stated ones.
    first_derived: np.ndarray
    package_of: np.ndarray
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
    """Returns the symmetric InfoNCE loss and its gradients for both sides' unit vectors."""
    size = len(queries)
    scores = queries @ documents.T / np.float32(settings.temperature)
    target = np.full((size, size), settings.smoothing / size, np.float32)
    target[np.diag_indices(size)] += 1 - settings.smoothing
    by_query = np.exp(scores - scores.max(axis=1, keepdims=True))
    by_query /= by_query.sum(axis=1, keepdims=True)
    by_document = np.exp(scores - scores.max(axis=0))
    by_document /= by_document.sum(axis=0)
    right = np.diag(by_query) * np.diag(by_document)
    loss = float(-np.log(np.maximum(right, 1e-20)).mean() / 2)
    gradient = (by_query + by_document - 2 * target) / np.float32(2 * size * settings.temperature)
    return loss, gradient @ documents, gradient.T @ queries


def batches(pairs: Pairs, settings: Settings, rng: np.random.Generator):
    """Yields arrays of pair numbers without end, each made of groups of one package."""
    while True:
        order = rng.permutation(pairs.usable)
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
        prefixed = rng.random(len(chosen)) < settings.prefixed
        documents = Side(rows, pairs.documents, chosen + prefixed * len(pairs), settings.document_dropout, rng)
        loss, query_gradient, document_gradient = contrast(queries.vectors, documents.vectors, settings)
        pieces = np.concatenate((queries.pieces, documents.pieces))
        gradients = np.concatenate(
            (queries.piece_gradients(query_gradient), documents.piece_gradients(document_gradient))
        )
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
    picked = first + (rng.random(len(chosen)) * (following - first)).astype(np.int64)
    use_derived = (rng.random(len(chosen)) < settings.derived) & (following > first)
    return np.where(use_derived, len(pairs) + picked, chosen)
