"""Reads histories: what a commit's message says, and the functions it changed as they stood before it.

A line is `{title, body, functions, neighbours}`; both lists hold `{language, path, name, code}`, the
neighbours being functions of the same files that the commit left alone.
"""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

import licences
from definitions import Function, functions_of
from extract import LONGEST_CODE, MOST_BYTES, is_written_by_hand
from fetch import mirror
from languages import EXTENSIONS, language_of
from prose import plain

MOST_COMMITS = 600
MOST_READ = 6000
MOST_FILES = 5
MOST_FUNCTIONS = 5
MOST_NEIGHBOURS = 4
LONGEST_BODY = 2000

_SKIPPED_TITLE = re.compile(
    r"(?:revert|merge|release|bump|prepare|version|upgrade|update dep|changelog|chore\(deps|build\(deps|wip\b|typo"
    r"|fix(?:es|ed)? typos?|(?:fix )?lint|format|rustfmt|clippy|style|v?\d+\.\d+|\[?pre-commit|sync\b|initial commit)",
    re.I,
)
_TESTS = re.compile(
    r"(?:^|/)(?:docs?|testsuite)/|(?:^|/)(?:test_|conftest)[^/]*$|_tests?\.\w+$|[a-z]Tests?\.\w+$|TestCase"
)
_TRAILER = re.compile(
    r"^(?:[A-Z][\w-]+-by|Change-Id|Reviewed-on|cc|git-svn-id|PiperOrigin-RevId|See merge request|Co-authored-by"
    r"|\(?cherry.picked|Signed-off-by|PR Close|Differential Revision|Test Plan|Reviewers?|Tags?)\b.*$",
    re.I | re.M,
)
_PREFIX = re.compile(
    r"^(?:\[[^\]]{1,30}\]\s*|(?:feat|fix|refactor|perf|chore|docs?|test|ci|build)(?:\([^)]*\))?!?:\s*)+", re.I
)
_NUMBER = re.compile(r"\(?(?:PR|GH|issue)?\s*#\d+\)?|https?://\S+", re.I)
_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? ", re.M)
_COMMIT, _FIELD = "\x01", "\x02"


@dataclass
class Change:
    """A commit that changed a few functions."""

    title: str
    body: str
    functions: list[dict[str, str]] = field(default_factory=list)
    neighbours: list[dict[str, str]] = field(default_factory=list)


class Repository:
    """A bare git directory as of a commit, read only."""

    def __init__(self, folder: Path, commit: str) -> None:
        self._base = ["git", "--git-dir", str(folder)]
        self.commit = self.run("rev-parse", commit).strip()
        self._blobs = subprocess.Popen(
            [*self._base, "cat-file", "--batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def __enter__(self) -> Repository:
        return self

    def __exit__(self, *_: object) -> None:
        self._blobs.stdin.close()
        self._blobs.stdout.close()
        self._blobs.wait()

    def run(self, *arguments: str) -> str:
        """Returns what git prints."""
        return subprocess.run([*self._base, *arguments], capture_output=True, check=True).stdout.decode(
            "utf8", "replace"
        )

    def lines(self, *arguments: str) -> Iterator[str]:
        """Yields the lines git prints as they come; git is ended when nobody reads on."""
        with subprocess.Popen([*self._base, *arguments], stdout=subprocess.PIPE) as process:
            try:
                for line in process.stdout:
                    yield line.decode("utf8", "replace")
            finally:
                process.kill()

    def blob(self, name: str) -> str | None:
        """Returns a text of the repository; nothing if it is missing or too large."""
        self._blobs.stdin.write(name.encode() + b"\n")
        self._blobs.stdin.flush()
        head = self._blobs.stdout.readline().split()
        if len(head) != 3:
            return None
        data = self._blobs.stdout.read(int(head[2]))
        self._blobs.stdout.read(1)
        return data.decode("utf8", "ignore") if int(head[2]) <= MOST_BYTES else None

    def licence(self) -> str:
        """Returns the kind of licence that the newest commit states."""
        paths = [
            path
            for path in self.run("ls-tree", "--name-only", self.commit).split("\n")
            if licences.FILE_NAMES.search(path)
        ]
        texts = {path: self.blob(f"{self.commit}:{path}") or "" for path in paths}
        return licences.of_package("git", texts)


@dataclass
class Patch:
    """A commit as `git log -p` prints it."""

    message: str
    # Path, name of the blob before, and the lines of it that were changed.
    files: list[tuple[str, str, list[tuple[int, int]]]]


def patches(repository: Repository) -> Iterator[Patch]:
    """Yields the newest commits that changed source files, without merges."""
    globs = [f"*{extension}" for extensions in EXTENSIONS.values() for extension in extensions.split()]
    shown = repository.lines(
        "log", "--no-merges", f"--max-count={MOST_READ}", "--diff-filter=M", "--no-renames", "-p", "-U0", "--no-color",
        "--no-ext-diff", "--no-textconv", "--full-index", f"--format={_COMMIT}%B{_FIELD}", repository.commit, "--",
        *globs,
    )  # fmt: skip
    text: list[str] = []
    for line in shown:
        if line.startswith(_COMMIT) and text:
            if patch := _patch("".join(text)):
                yield patch
            text = []
        if len(text) < 4000:
            text.append(line)
    if text and (patch := _patch("".join(text))):
        yield patch


def _patch(text: str) -> Patch | None:
    message, _, diff = text.removeprefix(_COMMIT).partition(_FIELD)
    parts = re.split(r"^diff --git ", diff, flags=re.M)[1:]
    if not 0 < len(parts) <= 3 * MOST_FILES:
        return None
    files = []
    for part in parts:
        blob = re.search(r"^index ([0-9a-f]+)\.\.", part, re.M)
        path = re.search(r"^--- a/(.+)$", part, re.M)
        if blob and path:
            hunks = [(int(first), int(count) if count else 1) for first, count in _HUNK.findall(part)]
            files.append((path[1].rstrip("\t"), blob[1], hunks))
    return Patch(message, files)


def split_message(message: str) -> tuple[str, str] | None:
    """Returns title and body without numbers, trailers and marks; nothing if the message says nothing."""
    title, _, body = message.strip().partition("\n")
    title = _PREFIX.sub("", _NUMBER.sub("", title)).strip(" .:-")
    if _SKIPPED_TITLE.match(title) or len(re.findall(r"[^\W\d_]{2,}", title)) < 3:
        return None
    body = _NUMBER.sub("", _TRAILER.sub("", body)).strip()
    return plain(title), plain(body)[:LONGEST_BODY]


def is_source(path: str) -> bool:
    """Tells whether a path is outside tests and documentation."""
    return is_written_by_hand(path) and not _TESTS.search(path)


def changes(repository: Repository, excluded: re.Pattern[str]) -> Iterator[Change]:
    """Yields the commits that changed one to five functions outside tests."""
    for patch in patches(repository):
        message = split_message(patch.message)
        files = [file for file in patch.files if is_source(file[0]) and not excluded.search("/" + file[0])]
        if message is None or not 0 < len(files) <= MOST_FILES:
            continue
        change = Change(*message)
        for path, blob, hunks in files:
            language = language_of(path)
            text = repository.blob(blob) if language not in ("markdown", "rest", None) else None
            if text is None or licences.COPYLEFT_FILE.search(text[:3000]):
                continue
            touched, others = _split(functions_of(language, text), hunks)
            change.functions += [_named(language, path, function) for function in touched]
            chosen = random.Random(blob).sample(others, min(MOST_NEIGHBOURS, len(others)))
            change.neighbours += [_named(language, path, function) for function in chosen]
            if len(change.functions) > MOST_FUNCTIONS:
                break
        if 0 < len(change.functions) <= MOST_FUNCTIONS:
            change.neighbours = change.neighbours[:MOST_NEIGHBOURS]
            yield change


def _split(found: list[Function], hunks: list[tuple[int, int]]) -> tuple[list[Function], list[Function]]:
    """Parts functions into those that hold a changed line, the innermost of each, and the others."""
    touched: set[int] = set()
    for first, count in hunks:
        for line in {first, first + max(count, 1) - 1}:
            # A pure insertion stands behind its line: at the last line of a function it is outside.
            around = [
                number
                for number, function in enumerate(found)
                if function.first <= line <= function.last - (count == 0)
            ]
            if around:
                touched.add(max(around, key=lambda number: found[number].first))
    long_enough = [len(function.code) >= 40 for function in found]
    return (
        [function for number, function in enumerate(found) if number in touched],
        [function for number, function in enumerate(found) if number not in touched and long_enough[number]],
    )


def _named(language: str, path: str, function: Function) -> dict[str, str]:
    return {"language": language, "path": path, "name": function.name, "code": function.code[:LONGEST_CODE]}


def history_path(work: Path, name: str) -> Path:
    """Returns where the changes of a repository are written."""
    return work / "commits" / f"{name.replace('/', '+')}.jsonl"


def extract_history(work: Path, name: str, pinned: str | None, excluded: re.Pattern[str]) -> None:
    """Writes the changes of one repository up to a commit, with a first line that says what it is."""
    target, folder = history_path(work, name), mirror(work, name)
    if target.exists() or not folder.exists():
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    with Repository(folder, pinned or "HEAD") as repository:
        head = {"repository": name, "commit": repository.commit, "licence": repository.licence()}
        lines = [json.dumps(head)]
        languages: Counter[str] = Counter()
        if licences.is_permissive(head["licence"]):
            for change in changes(repository, excluded):
                lines.append(json.dumps(asdict(change), ensure_ascii=False))
                languages.update(function["language"] for function in change.functions)
                if len(lines) > MOST_COMMITS:
                    break
    partial = target.with_suffix(".partial")
    partial.write_text("\n".join(lines) + "\n", encoding="utf8")
    os.replace(partial, target)
    print(
        f"commits: {name} {head['licence'] or 'no licence'}: {len(lines) - 1}, {dict(languages.most_common(3))}",
        flush=True,
    )
