"""Says under which licence a package is, and whether we may learn from it.

Copyleft, unknown and source-available licences are left out. That is stricter than needed for word
statistics, and it keeps the question of what a table derives from simple.
"""

from __future__ import annotations

import json
import re
import tomllib

_PERMISSIVE = re.compile(
    r"MIT|Expat|Apache|BSD|ISC|Zlib|Unlicense|PSF|Python|0BSD|CC0|BSL-1|Boost|HPND|Public.Domain|PostgreSQL"
    r"|Ruby|PHP-3|curl|X11|Unicode|OpenSSL|public-domain|W3C|BlueOak|WTFPL|ZPL",
    re.I,
)
_OTHER = re.compile(
    r"GPL|General Public|EPL|Eclipse|CDDL|SSPL|BUSL|Commons.Clause|\bNC\b|Elastic|Proprietary|MPL|Mozilla|EUPL"
    r"|OSL-|QPL|Artistic|CC-BY-SA|GFDL|Other/Proprietary|UNLICENSED|SEE LICEN",
    re.I,
)
_TEXTS = (
    ("GPL", r"GNU (?:LESSER |LIBRARY |AFFERO )?GENERAL PUBLIC"),
    ("MPL", r"Mozilla Public License"),
    ("EPL", r"Eclipse Public"),
    ("Apache-2.0", r"Apache License"),
    ("MIT", r"Permission is hereby granted, free of charge"),
    ("BSD", r"Redistribution and use in source and binary"),
    ("ISC", r"Permission to use, copy, modify, and(?:/or)? distribute this software"),
    ("Boost", r"Boost Software License"),
    ("Public Domain", r"public domain"),
)
# A file that says so itself, inside a package that is otherwise permissive.
COPYLEFT_FILE = re.compile(_TEXTS[0][1] + r"|SPDX-License-Identifier: *[AL]?GPL|Mozilla Public License", re.I)
FILE_NAMES = re.compile(
    r"(?:^|/)(?:METADATA|package\.json|Cargo\.toml|debian/copyright|(?:licen[cs]e|copying|unlicense)[^/]*)$", re.I
)


def of_text(text: str) -> str:
    """Returns the kinds of licence whose wording a text holds."""
    kinds = [kind for kind, wording in _TEXTS if re.search(wording, text[:6000], re.I)]
    return " AND ".join(kinds)


def of_package(registry: str, files: dict[str, str]) -> str:
    """Returns the licence that a package's own metadata or licence files state; empty if none does.

    `files` holds those of the package whose path matches FILE_NAMES.
    """
    readers = {"pypi": _of_wheel, "npm": _of_npm, "crates": _of_crate, "debian": _of_debian}
    stated = readers[registry](files) if registry in readers else ""
    if stated:
        return " ".join(stated.split())[:120]
    texts = sorted((path for path in files if re.search(r"licen[cs]e|copying", path, re.I)), key=lambda p: p.count("/"))
    return next((kind for path in texts if (kind := of_text(files[path]))), "")


def _of_wheel(files: dict[str, str]) -> str:
    metadata = next((text for path, text in files.items() if path.endswith(".dist-info/METADATA")), "")
    head = metadata.split("\n\n")[0]
    if match := re.search(r"^License-Expression: (.+)", head, re.M):
        return match[1]
    classifiers = re.findall(r"^Classifier: License :: (?:OSI Approved :: )?(.+)", head, re.M)
    stated = [name for name in classifiers if name != "OSI Approved"]
    if stated:
        return " AND ".join(stated)
    match = re.search(r"^License: (.+)", head, re.M)
    return match[1] if match and _PERMISSIVE.search(match[1]) else ""


def _of_npm(files: dict[str, str]) -> str:
    paths = sorted((path for path in files if path.endswith("package.json")), key=lambda path: path.count("/"))
    try:
        manifest = json.loads(files[paths[0]]) if paths else {}
    except ValueError:
        return ""
    stated = manifest.get("license") or manifest.get("licenses") or ""
    return stated if isinstance(stated, str) else json.dumps(stated)


def _of_crate(files: dict[str, str]) -> str:
    paths = sorted((path for path in files if path.endswith("Cargo.toml")), key=lambda path: path.count("/"))
    try:
        return tomllib.loads(files[paths[0]])["package"].get("license", "") if paths else ""
    except (tomllib.TOMLDecodeError, KeyError):
        return ""


def _of_debian(files: dict[str, str]) -> str:
    """Returns the licence of `Files: *` in the machine-readable copyright file."""
    copyright_file = files.get("debian/copyright", "")
    match = re.search(r"^Files:\s*\*.*?^License: *(.+?)$", copyright_file, re.M | re.S)
    return match[1] if match else ""


def is_permissive(licence: str) -> bool:
    """Tells whether we may learn from code under this licence; a choice counts if one branch may."""
    branches = re.split(r"\s+or\s+|/", licence.strip("()"), flags=re.I)
    return any(_PERMISSIVE.search(branch) and not _OTHER.search(branch) for branch in branches)
