#!/usr/bin/env python3
"""Do pasted messages lead to the place that prints them? Makes cases from real repositories and asks a server.

    bench/messages.py --server 'cruxe serve-mcp --workspace {dir}' REPO... [--cases 200] [--log] [--misses]

A case is a string of the source that is printed, raised or logged, with its holes filled by made-up values and its parts put
together where it spans several lines. Right is a first result that overlaps the statement. Strings of tests, and those
that another place has too, are left out. With --log the message is pasted with the lines of a log around it. Standard
library only; the same repositories give the same cases.
"""
import argparse, json, random, re, shlex, subprocess, sys
from collections import Counter, defaultdict
from pathlib import Path

LANGUAGES = {".py": "python", ".rs": "rust", ".go": "go", ".ts": "typescript", ".js": "javascript", ".java": "java",
             ".kt": "kotlin", ".scala": "scala", ".swift": "swift", ".rb": "ruby", ".php": "php", ".cs": "csharp",
             ".c": "c", ".cc": "cpp", ".cpp": "cpp", ".hpp": "cpp", ".ex": "elixir", ".hs": "haskell", ".lua": "lua",
             ".zig": "zig", ".sh": "bash"}
PRINTS = re.compile(
    r"\b(raise|throw|panic!|bail!|anyhow!|unreachable!|assert!|expect|println!|eprintln!|format!|warn!|error!|info!|debug!|trace!"
    r"|Errorf|errors\.New|Printf|Fatalf|Sprintf|panic|console\.\w+|logger?\.\w+|log|warn|warning|error|fatal|fatalError"
    r"|preconditionFailure|Error|Exception|abort|die|echo|printf|fprintf|vim\.notify|fail|notify\.warn|sprintf|format|print|puts)\b|\b\w+(?:Error|Exception)\b")
SKIP = re.compile(r"(^|/)(tests?|spec|specs|testing|__tests__|fixtures?|examples?|docs?|vendor|third_party|node_modules|bench(marks?)?)(/|$)|test|spec\b|\.min\.", re.I)
STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`|(?<![\w)])\'((?:[^\'\\\n]|\\.)*)\'')
HOLE = re.compile(r"\$\{[^}]*\}|#\{[^}]*\}|\{[^{}]*\}|\\\([^)]*\)|%(?:\(\w+\))?[-+#0-9.*]*(?:ll?|h|z)?[a-zA-Z]|\$[A-Za-z_]\w*")
LOG = "2026-11-17 10:42:01,123 INFO  app: starting worker 3\n2026-11-17 10:42:02,007 ERROR app: {}\n2026-11-17 10:42:02,008 INFO  app: shutting down"
VALUES = ["alice", "42", "/var/lib/app/data.bin", "127.0.0.1:8080", "None", "user 7", "GET", "0x7f3a", "orders", "3.14", "b'x1'", "[1, 2]"]


def statements(text):
    """(first line, last line, parts) of strings that belong together: one line, or lines that only continue one."""
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        first, parts = at, [m for m in STRING.finditer(lines[at])]
        if not parts or not PRINTS.search(lines[at]) or lines[at].lstrip().startswith(("#", "//", "*", "--", "import ", "use ")):
            # `raise ValueError(` with the string below
            opens = PRINTS.search(lines[at]) and lines[at].rstrip().endswith("(") and not parts
            below = lines[at + 1].strip() if at + 1 < len(lines) else ""
            if not (opens and re.match(r'[fruFRU]{0,2}["\'`]', below)):
                at += 1
                continue
            at += 1
            parts = [m for m in STRING.finditer(lines[at])]
        texts = [next(g for g in m.groups() if g is not None) for m in parts[:1]]
        while (at + 1 < len(lines) and at - first < 6 and re.match(r'\s*(?:\+|\.\.|<>|\.)?\s*[fruFRU]{0,2}["\'`]', lines[at + 1])
               and re.search(r'["\'`]\s*(?:\+|\.\.|<>|\.|\\)?\s*$', lines[at])):
            at += 1
            texts += [next(g for g in m.groups() if g is not None) for m in STRING.finditer(lines[at])][:1]
        if not (first and re.search(r'["\'`]\s*(?:\+|\.\.|<>|\.|\\)\s*$', lines[first - 1])):  # the middle of a longer one
            yield first + 1, at + 1, texts
        at += 1


def fill(parts, chance):
    """The message as it is printed."""
    text = "".join(parts)
    text = text.replace("{{", "").replace("}}", "").replace("%%", "")
    text = HOLE.sub(lambda m: chance.choice(VALUES), text)
    return re.sub(r"\\[nrt\"'\\]", " ", text).strip()


def listed(repo):
    """The files of a repository, or of a folder that is none."""
    known = subprocess.run(["git", "-C", str(repo), "ls-files", "-z"], capture_output=True)
    inside = known.returncode == 0 and known.stdout
    return known.stdout.decode().split("\0") if inside else [str(p.relative_to(repo)) for p in sorted(repo.rglob("*")) if p.is_file()]


def cases(repo, chance):
    """Every case of a repository, by language."""
    found, seen = defaultdict(list), Counter()
    for name in listed(repo):
        path = repo / name
        if path.suffix not in LANGUAGES or path.is_symlink() or not path.is_file() or path.stat().st_size > 400_000:
            continue
        text = path.read_text("utf-8", "replace")
        for m in STRING.finditer(text):
            seen[HOLE.sub("{}", next(g for g in m.groups() if g is not None))] += 1
        if SKIP.search(name):
            continue
        for first, last, parts in statements(text):
            plain = HOLE.sub(" ", "".join(parts))
            words = re.findall(r"[A-Za-z]{2,}", plain)
            if len(words) >= 4 and sum(map(len, words)) >= 16 and len(plain) < 300 and re.search(r"[a-z] [a-z]", plain) and not re.search(r"[{};]\s*(\\n)?$|^(//|#)", plain):
                found[LANGUAGES[path.suffix]].append((name, first, last, parts))
    return {language: [c for c in rows if seen[HOLE.sub("{}", c[3][0])] == 1] for language, rows in found.items()}


class Server:
    def __init__(self, command, folder):
        self.p = subprocess.Popen([a.replace("{dir}", str(folder)) for a in shlex.split(command)], stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.n = 0
        self.call("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "messages", "version": "1"}})
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        while self.tool("index_status", {}).get("active_job") or self.tool("index_status", {}).get("index_status") != "ready":
            pass

    def send(self, message):
        self.p.stdin.write(json.dumps(message).encode() + b"\n")
        self.p.stdin.flush()

    def call(self, method, params):
        self.n += 1
        self.send({"jsonrpc": "2.0", "id": self.n, "method": method, "params": params})
        while True:
            message = json.loads(self.p.stdout.readline())
            if message.get("id") == self.n and "method" not in message:
                return message.get("result") or message

    def tool(self, name, arguments):
        answer = self.call("tools/call", {"name": name, "arguments": arguments})
        return answer.get("structuredContent") or json.loads(answer["content"][0]["text"])


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("repos", nargs="+", type=Path)
    a.add_argument("--server", required=True)
    a.add_argument("--cases", type=int, default=200)
    a.add_argument("--seed", type=int, default=7)
    a.add_argument("--log", action="store_true")
    a.add_argument("--misses", action="store_true")
    a = a.parse_args()
    chance, by_language = random.Random(a.seed), defaultdict(list)
    for repo in sorted(a.repos):
        for language, rows in cases(repo, chance).items():
            by_language[language] += [(repo, *row) for row in rows]
    # As many of each language as there are, taken by turns.
    for rows in by_language.values():
        chance.shuffle(rows)
    chosen, turn = [], 0
    while len(chosen) < a.cases and any(turn < len(rows) for rows in by_language.values()):
        chosen += [(language, *rows[turn]) for language, rows in sorted(by_language.items()) if turn < len(rows)]
        turn += 1
    servers, hits, all_ = {}, Counter(), Counter()
    for language, repo, name, first, last, parts in sorted(chosen[: a.cases], key=lambda c: str(c[1])):
        if repo not in servers:
            servers = {repo: Server(a.server, repo)}  # the one before ends with its input
        message = fill(parts, chance)
        if a.log:
            message = LOG.format(message)
        results = servers[repo].tool("search_code", {"query": message, "limit": 5}).get("results", [])
        right = [r for r in results if r["path"] == name and r["line_start"] <= last and r["line_end"] >= first]
        all_[language] += 1
        if results and right and right[0] is results[0]:
            hits[language] += 1
        elif a.misses:
            got = [f"{r['path']}:{r['line_start']}" for r in results[:3]]
            print(f"{repo.name} {name}:{first}-{last}\n   {message!r}\n   of {parts}\n   got {got}")
    for language in sorted(all_):
        print(f"{language:12} {hits[language]:4} of {all_[language]:4}")
    print(f"hit@1 {sum(hits.values()) / max(1, sum(all_.values())):.3f} of {sum(all_.values())}")


if __name__ == "__main__":
    main()
