"""Reads fetched archives and writes what is worth learning from as JSON lines, one file per package.

A line is `{kind, language, path, name, doc, code}`:
  definition: a documented definition, its documentation's first paragraph, its code without it
  file:       a source file, its own documentation (may be empty), the first lines of its definitions
  section:    a section of a document, its headings, its body
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import re
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import licences
from definitions import read_source, sections
from fetch import archive_name
from languages import language_of
from prose import plain, summary

MOST_PAIRS = 2500
MOST_FILES = 1200
MOST_BYTES = 250_000
LONGEST_CODE = 3000
LONGEST_SECTION = 2500

_SKIPPED_PATH = re.compile(
    r"(^|/)(tests?|testing|testdata|test-data|__tests__|spec|benchmarks?|vendor|_vendor|vendored|third[_-]party"
    r"|3rdparty|external|node_modules|bower_components|examples?|locales?|i18n|fixtures|esm5|cjs|umd|es5)/"
    r"|\.min\.|\.d\.[mc]?ts$|bundle|_pb2|\.pb\.|_test\.go$|[._-]spec\.|[._-]test\.|Tests?\.(cs|java|kt|php|swift)$",
    re.I,
)
_SKIPPED_DOCUMENT = re.compile(r"change|history|release|news|licen|security|code_of_conduct|authors", re.I)
_SKIPPED_HEADING = re.compile(
    r"(install|usage|licen|contribut|changelog|example|see also|table of|note|feature|getting started|requirements"
    r"|documentation|overview|v?\d|\[|release|unreleased|added|fixed|changed|breaking|bug ?fix|parameters|returns|api"
    r"|support|credits|thanks|sponsor|maintainers?)\b",
    re.I,
)
_WORD_CHARACTERS = re.compile(r"\w+")
# Without one of these in the text no definition of the language can be documented.
_MARKS = {"python": '"""', "rust": "///", "javascript": "/**", "typescript": "/**", "tsx": "/**", "java": "/**"}


@dataclass
class Record:
    """One line of a package's file."""

    kind: str
    language: str
    path: str
    name: str
    doc: str
    code: str


def members(archive: Path) -> Iterator[tuple[str, int, object]]:
    """Yields (path, size, reader of the bytes) of each file in an archive or folder."""
    if archive.is_dir():
        for path in sorted(archive.rglob("*.py")):
            if "site-packages" in path.parts:
                continue
            yield str(path.relative_to(archive)), path.stat().st_size, path.read_bytes
    elif archive.suffix in (".whl", ".zip"):
        with zipfile.ZipFile(archive) as bundle:
            for info in bundle.infolist():
                yield info.filename, info.file_size, lambda info=info: bundle.read(info)
    else:
        with tarfile.open(archive) as bundle:
            for info in bundle:
                if info.isfile():
                    yield info.name, info.size, lambda info=info: bundle.extractfile(info).read()


def relative_path(registry: str, path: str) -> str:
    """Returns a path as it stands in the project, without the folder an archive adds."""
    if registry == "pypi" or path.startswith("debian/"):
        return path
    return path.split("/", 1)[-1]


def is_written_by_hand(path: str) -> bool:
    """Tells whether a path is outside tests, vendored and generated files."""
    return not _SKIPPED_PATH.search(path)


class Package:
    """The files of one package, from one or several archives."""

    def __init__(self, registry: str, archives: list[Path], excluded: re.Pattern[str]) -> None:
        self.sources: dict[str, str] = {}
        licence_files: dict[str, str] = {}
        for archive in archives:
            for path, size, read in members(archive):
                path = relative_path(registry, path)
                if size > MOST_BYTES or excluded.search("/" + path):
                    continue
                language = language_of(path)
                is_source = language is not None and is_written_by_hand(path)
                is_licence = path.count("/") <= 2 and licences.FILE_NAMES.search(path)
                if not is_source and not is_licence:
                    continue
                text = read().decode("utf8", "ignore")
                if is_licence:
                    licence_files[path] = text
                if is_source and not licences.COPYLEFT_FILE.search(text[:3000]):
                    self.sources[path] = text
                if registry == "pypi" and path.endswith("METADATA"):
                    self.sources["README.md"] = text.partition("\n\n")[2]
        self.licence = licences.of_package(registry, licence_files)


def records(package: Package) -> list[Record]:
    """Returns what a package holds, files in a shuffled but fixed order until there is enough."""
    paths = sorted(package.sources)
    random.Random(len(paths)).shuffle(paths)
    found: list[Record] = []
    seen: set[bytes] = set()
    files = 0
    for path in paths:
        language = language_of(path)
        text = package.sources[path]
        if language in ("markdown", "rest"):
            candidates = document_records(language, path, text)
        elif is_worth_parsing(language, text):
            files += 1
            candidates = source_records(language, path, text)
        else:
            continue
        for record in candidates:
            keys = {fingerprint(record.doc or record.path), fingerprint(record.code)}
            if not keys & seen:
                seen |= keys
                found.append(record)
        if files >= MOST_FILES or len(found) >= MOST_PAIRS:
            break
    return found[:MOST_PAIRS]


def fingerprint(text: str) -> bytes:
    """Returns a hash that is blind to layout."""
    return hashlib.md5("".join(_WORD_CHARACTERS.findall(text.lower())).encode()).digest()


def is_worth_parsing(language: str, text: str) -> bool:
    """Tells whether a file can hold documentation and was written by hand."""
    lines = text.count("\n") + 1
    return lines > 5 and len(text) / lines < 150 and _MARKS.get(language, "") in text


def source_records(language: str, path: str, text: str) -> Iterator[Record]:
    """Yields the documented definitions of a file, then the file itself."""
    source = read_source(language, text)
    for definition in source.definitions:
        doc = summary(definition.documentation)
        code = definition.code[:LONGEST_CODE]
        if doc and len(code) >= 60 and code.count("\n") >= 2:
            yield Record("definition", language, path, definition.name, doc, code)
    outline = "\n".join(line[:160] for line in source.outline[:80])
    if len(source.outline) >= 3 and len(outline) >= 80:
        yield Record("file", language, path, "", summary(source.documentation) or "", outline[:LONGEST_CODE])


def document_records(language: str, path: str, text: str) -> Iterator[Record]:
    """Yields the sections of a document whose heading says something."""
    if _SKIPPED_DOCUMENT.search(path):
        return
    for title, heading, body in sections(language, text):
        title, heading = plain(title), plain(re.sub(r"!\[[^\]]*\]\([^)]*\)|\{[^}]*\}", "", heading))
        count = len(re.findall(r"[^\W\d_]{2,}", heading))
        if _SKIPPED_HEADING.match(heading) or not 2 <= count <= 16:
            continue
        if len(body) >= 120 and len(re.findall(r"[^\W\d_]{2,}", body)) >= 20:
            yield Record("section", language, path, title, heading, body[:LONGEST_SECTION])


def excluded_paths(names: list[str]) -> re.Pattern[str]:
    """Returns a pattern for paths that hold a copy of an excluded project."""
    words = "|".join(re.escape(name) for name in names)
    return re.compile(rf"/(?:[\w.]*[-_.@])?(?:{words}|absl)(?:[-_.@][\w.]*)?/", re.I)


def archives_by_package(folder: Path, registry: str) -> dict[str, list[Path]]:
    """Groups a registry's archives; Debian splits a package into several."""
    grouped: dict[str, list[Path]] = {}
    for path in sorted(folder.iterdir()):
        if not path.name.endswith((".dsc", ".asc", ".diff.gz")):
            grouped.setdefault(archive_name(registry, path.name)[0], []).append(path)
    return grouped


def extract(work: Path, registry: str, package: str, archives: list[Path], excluded: re.Pattern[str]) -> None:
    """Writes the records of one package, with a first line that says what it is."""
    target = work / "records" / registry / f"{package}.jsonl"
    if target.exists():
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        content = Package(registry, archives, excluded)
        found = records(content)
    except (tarfile.TarError, zipfile.BadZipFile, OSError, EOFError) as problem:
        print(f"extract: {registry} {package} cannot be read: {problem}", file=sys.stderr)
        return
    version = next((version for path in archives if (version := archive_name(registry, path.name)[1])), "")
    head = {"registry": registry, "package": package, "version": version, "licence": content.licence}
    partial = target.with_suffix(".partial")
    with partial.open("w", encoding="utf8") as lines:
        for line in (head, *map(asdict, found)):
            lines.write(json.dumps(line, ensure_ascii=False) + "\n")
    os.replace(partial, target)
