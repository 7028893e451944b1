"""Derives from a record the short questions an agent would type to find it."""

from __future__ import annotations

import random
import re
from pathlib import PurePosixPath

from extract import Record
from tokens import words

VARIANTS = 3

_STOP_WORDS = """
a an the of to in is are be been for and or on if it its this that these those by with as at from which will can not
into than then when where who whose do does done has have had was were would should may might must so such only also
all any each every other their them they you your we our us i he she but no nor up out via per using use used given
returns return returned one two new
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())
_PATH_NOISE_WORDS = "src lib main index init mod core common internal pkg package java org com io net impl py js"
_PATH_NOISE = frozenset(_PATH_NOISE_WORDS.split())
_CLAUSE_END = re.compile(r"[.;:!?](?:\s|$)|,\s|\s[-–—]\s|\s\(")
_QUESTIONS = (
    "how does {} work",
    "where is {} handled",
    "where is {} implemented",
    "{} implementation",
    "how {} is done",
)
_DOCUMENT_QUESTIONS = ("how to {}", "what is {}", "{} documentation", "how does {} work", "explain {}")


def keywords(text: str, most: int = 8) -> list[str]:
    """Returns the words of the first clause that carry its meaning."""
    clause = _CLAUSE_END.split(text, maxsplit=1)[0]
    found = [word for word in words(clause) if word not in STOP_WORDS]
    if len(found) < 3:
        found = [word for word in words(text) if word not in STOP_WORDS]
    return found[:most]


def path_words(path: str) -> list[str]:
    """Returns the words of the last parts of a path that tell it from its neighbours."""
    parts = [*PurePosixPath(path).parts[-3:-1], PurePosixPath(path).stem]
    found = [word for part in parts for word in words(part) if word not in _PATH_NOISE and not word.isdigit()]
    return list(dict.fromkeys(found))


def imperative(text: str) -> str:
    """Turns `Parses the header` into `parse the header`."""
    first, _, rest = _CLAUSE_END.split(text, maxsplit=1)[0].partition(" ")
    if re.fullmatch(r"[A-Z]?[a-z]+(?:sses|shes|ches|xes)", first):
        first = first[:-2]
    elif re.fullmatch(r"[A-Z]?[a-z]+ies", first):
        first = first[:-3] + "y"
    elif re.fullmatch(r"[A-Z]?[a-z]+[^s]s", first):
        first = first[:-1]
    return f"{first.lower()} {rest}".strip()


def derived(record: Record) -> list[str]:
    """Returns VARIANTS short queries, always the same for the same record."""
    rng = random.Random(f"{record.path} {record.name} {record.doc}")
    if record.kind == "section":
        candidates = _of_section(record, rng)
    elif record.kind == "file":
        candidates = _of_file(record, rng)
    else:
        candidates = _of_definition(record, rng)
    candidates = list(dict.fromkeys(text for text in candidates if len(text.split()) > 1))
    return rng.sample(candidates, min(VARIANTS, len(candidates)))


def of_change(change: dict) -> list[str]:
    """Returns what a commit says in short: its title, and the words of that which carry meaning."""
    title = change["title"]
    found = [title, " ".join(keywords(title, 10))]
    return [text for text in found if len(words(text)) > 1]


def _dropped(found: list[str], rng: random.Random) -> list[str]:
    """Leaves out about a quarter of the words, but keeps three."""
    kept = [word for word in found if rng.random() > 0.25]
    return kept if len(kept) >= 3 else found


def _of_definition(record: Record, rng: random.Random) -> list[str]:
    name = words(record.name.replace("::", ".").rsplit(".", 1)[-1])
    key = keywords(record.doc)
    place = path_words(record.path)[-2:]
    return [
        " ".join(_dropped(key, rng)),
        imperative(record.doc),
        rng.choice(_QUESTIONS).format(" ".join(key[:4])),
        rng.choice(_QUESTIONS).format(" ".join(_dropped(key, rng)[:6])),
        " ".join([*place, *key[:4]]),
        " ".join([*place, *name]),
        " ".join([*name, *(word for word in key if word not in name)][:6]),
    ]


def _of_file(record: Record, rng: random.Random) -> list[str]:
    place = path_words(record.path)
    inside = [word for word in dict.fromkeys(words(record.code)) if len(word) > 3 and word not in STOP_WORDS]
    topics = rng.sample(inside, min(3, len(inside)))
    found = [
        " ".join(place),
        rng.choice(_QUESTIONS).format(" ".join(place)),
        " ".join([*place[-2:], *topics]),
    ]
    if record.doc:
        key = keywords(record.doc)
        found += [" ".join(key), rng.choice(_QUESTIONS).format(" ".join(key[:5])), " ".join([*place[-2:], *key[:4]])]
    return found


def _of_section(record: Record, rng: random.Random) -> list[str]:
    heading = keywords(record.doc)
    return [
        f"{record.name} {record.doc}",
        rng.choice(_DOCUMENT_QUESTIONS).format(" ".join(heading)),
        " ".join([*words(record.name)[:3], *heading]),
        " ".join(_dropped(keywords(record.code), rng)),
    ]
