#!/usr/bin/env python3
"""Does what people paste lead to the function that it is about? Makes reports of many shapes from real repositories and asks a server.

    bench/reports.py --server 'cruxe serve-mcp --workspace {dir}' REPO... [--cases 10] [--seed 7] [--only SHAPE] [--misses]

A case is a function of the source, drawn at random, and a text that somebody could have pasted about it: a stack trace of its language whose
innermost frame of the project it is, with line numbers of another version and paths of another machine, among the frames of libraries and callers; the same
inside a log of some hundred lines; a ticket in another language or by a form that names it. Right is a result that is the function. Standard
library only; the same repositories and seed give the same cases.
"""
import argparse, random, re
from collections import defaultdict
from pathlib import Path

from messages import SKIP, Server, listed

DEFINES = {
    "python": ((".py",), r"^(?P<indent>\s*)(?:async )?def (?P<name>\w+)\("),
    "rust": ((".rs",), r"^(?P<indent>\s*)(?:pub(?:\([^)]*\))? )?(?:async |const |unsafe )*fn (?P<name>\w+)"),
    "go": ((".go",), r"^func (?:\(\w* ?\*?(?P<type>\w+)[^)]*\) )?(?P<name>\w+)\("),
    "java": ((".java",), r"^    (?:public |protected |private |static |final |abstract )+[\w<>\[\], ?.]+ (?P<name>\w+)\([^;]*$"),
    "kotlin": ((".kt",), r"^\s*(?:(?:public|internal|private|protected|override|open|final|inline|suspend) )*fun (?:<[^>]*> )?(?:\w+\.)?(?P<name>\w+)\("),
    "javascript": ((".js", ".ts"), r"^(?:export )?(?:default )?(?:async )?function (?P<name>\w+) ?\(|^(?:export )?const (?P<other>\w+) = (?:async )?\([^)]*\)(?:: [^=]+)? =>|^(?P<owner>\w+)\.prototype\.(?P<method>\w+) = function"),
    "c": ((".c",), r"^(?:static )?(?:[\w*]+ +\**)+(?P<name>[a-z]\w+)\([^;]*$"),
    "cpp": ((".cc", ".cpp"), r"^(?:[\w:<>*&]+ +\**)+(?P<type>\w+)::(?P<name>\w+)\([^;]*$"),
    "csharp": ((".cs",), r"^\s*(?:public |protected |private |internal |static |override |virtual |async )+[\w<>\[\], ?.]+ (?P<name>\w+)\([^;]*$"),
    "php": ((".php",), r"^\s*(?:public |protected |private |static |final )*function (?P<name>\w+)\("),
    "ruby": ((".rb",), r"^(?P<indent>\s*)def (?:self\.)?(?P<name>\w+[?!]?)"),
    "elixir": ((".ex",), r"^(?P<indent>\s*)defp? (?P<name>\w+)\("),
}
TYPE = {
    "python": r"^class (\w+)", "rust": r"^impl(?:<[^>]*>)? (?:[\w:<>, ]+ for )?(\w+)", "java": r"^(?:public |final |abstract )*class (\w+)",
    "kotlin": r"^(?:\w+ )*class (\w+)", "csharp": r"^\s*(?:\w+ )*class (\w+)", "php": r"^(?:\w+ )*(?:class|trait) (\w+)", "ruby": r"^\s*(?:class|module) (\w+)",
    "elixir": r"^defmodule ([\w.]+)",
}


class Function:
    def __init__(self, language, repo, path, name, line, type_, body, package):
        self.language, self.repo, self.path, self.name, self.line, self.type, self.body, self.package = language, repo, path, name, line, type_, body, package
        self.at = line  # where it stood in the version that the text is about

    def called(self, separator="."):
        return f"{self.type}{separator}{self.name}" if self.type else self.name

    def words(self, chance, count):
        """Names that its code uses."""
        names = sorted({w for w in re.findall(r"[A-Za-z_]\w{5,}", self.body) if w != self.name})
        return chance.sample(names, min(count, len(names)))


def functions(repo):
    """Every function of the source with a body of a few lines, by language."""
    found = defaultdict(list)
    for name in listed(repo):
        path = repo / name
        language = next((l for l, (endings, _) in DEFINES.items() if path.suffix in endings), None)
        if language is None or SKIP.search(name) or name.endswith(".d.ts") or path.is_symlink() or not path.is_file() or path.stat().st_size > 400_000:
            continue
        lines = path.read_text("utf-8", "replace").split("\n")
        package = next((m[1] for m in (re.match(r"(?:package|namespace) ([\w.\\]+)", line) for line in lines[:60]) if m), "")
        type_ = ""
        for at, line in enumerate(lines):
            if language in TYPE and (m := re.match(TYPE[language], line)):
                type_ = m[1]
            m = re.match(DEFINES[language][1], line)
            if not m:
                continue
            groups = m.groupdict()
            called = groups.get("name") or groups.get("other") or groups.get("method")
            if not called or len(called) < 4 or re.match(r"__|test|main$|init$|new$|new[A-Z_]", called):
                continue
            body = lines[at + 1:at + 12]
            owner = groups.get("type") or groups.get("owner") or (type_ if "indent" not in groups or groups["indent"] else "")
            if sum(1 for b in body[:5] if b.strip()) >= 4 and not re.search(r"[;}]\s*$|^\s*}", body[0]):
                found[language].append(Function(language, repo, name, called, at + 1, owner, "\n".join(body), package))
    return found


# ------------------------------------------------------------ traces: own frames innermost first, with those of libraries around


def python(own, chance, home="/home/ci/venv/lib/python3.11/site-packages", slash="/"):
    path = lambda f: (f"{home}/{f.path}" if chance.random() < 0.7 else f"/app/{f.path}").replace("/", slash)
    rows = [f'  File "{home}/uvicorn/server.py", line 65, in run\n    return asyncio.run(self.serve())'.replace("/", slash)]
    rows += [f'  File "{path(f)}", line {f.at + 2}, in {f.name}\n    {f.body.split(chr(10))[1].strip()}' for f in reversed(own)]
    rows.append('  File "/usr/lib/python3.11/json/decoder.py", line 355, in raw_decode\n    raise JSONDecodeError("Expecting value", s, err.value) from None')
    return "Traceback (most recent call last):\n" + "\n".join(rows) + "\nValueError: Expecting value: line 1 column 1 (char 0)"


def pytest(own, chance):
    inner, rows = own[0], []
    for f in reversed(own):
        rows.append(f"{f.path}:{f.at + 2}: in {f.name}\n    {f.body.split(chr(10))[1].strip()}")
    return ("=================================== FAILURES ===================================\n_____________________________ test_it_still_works ______________________________\n"
            "tests/test_regressions.py:88: in test_it_still_works\n    assert run() == 3\n" + "\n".join(rows) + "\nE   ValueError: not what was expected: 3\n"
            "=========================== short test summary info ============================\nFAILED tests/test_regressions.py::test_it_still_works - ValueError: not what was expected: 3")


def go(own, chance):
    module = f"github.com/acme/{own[0].repo.name}"
    frame = lambda f: (f"{module}/{Path(f.path).parent}".removesuffix("/.") + (f".(*{f.type})" if f.type else "") + f".{f.name}(0xc0001b4000, {{0x7ffd1, 0x14}})\n"
                       f"\t/home/me/src/{f.repo.name}/{f.path}:{f.at + 3} +0x{chance.randint(30, 900):x}")
    return ("panic: runtime error: invalid memory address or nil pointer dereference\n[signal SIGSEGV: segmentation violation code=0x1 addr=0x18 pc=0x6f2a41]\n\n"
            "goroutine 34 [running]:\npanic({0x7a1e20?, 0xa8c3f0?})\n\t/usr/local/go/src/runtime/panic.go:914 +0x21f\n" + "\n".join(map(frame, own)) +
            "\nnet/http.(*conn).serve(0xc000196000, {0x8d2f50, 0xc00019a000})\n\t/usr/local/go/src/net/http/server.go:2009 +0x5f4\ncreated by net/http.(*Server).Serve in goroutine 1\n"
            "\t/usr/local/go/src/net/http/server.go:3086 +0x5cb\n\ngoroutine 1 [IO wait]:\ninternal/poll.runtime_pollWait(0x7f7a, 0x72)\n\t/usr/local/go/src/runtime/netpoll.go:343 +0x85\n"
            "main.main()\n\t/home/me/src/service/main.go:41 +0x1a5\nexit status 2")


def rust(own, chance):
    crate = own[0].repo.name.replace("-", "_")
    rows = ["rust_begin_unwind\n             at /rustc/9fc6b43126469e3858e2fe86cafb4f0fd5068869/library/std/src/panicking.rs:665:5",
            "core::panicking::panic_fmt\n             at /rustc/9fc6b43126469e3858e2fe86cafb4f0fd5068869/library/core/src/panicking.rs:76:14",
            "core::result::Result<T,E>::unwrap\n             at /rustc/9fc6b43126469e3858e2fe86cafb4f0fd5068869/library/core/src/result.rs:1102:23"]
    for f in own:
        module = "::".join([crate, Path(f.path).stem])
        rows.append(f"{module}::{f.called('::')}\n             at ./{f.path}:{f.at + 3}:{chance.randint(5, 40)}")
    rows.append("core::ops::function::FnOnce::call_once\n             at /rustc/9fc6b43126469e3858e2fe86cafb4f0fd5068869/library/core/src/ops/function.rs:250:5")
    return (f"thread 'main' panicked at {own[0].path}:{own[0].at + 3}:17:\ncalled `Result::unwrap()` on an `Err` value: Os {{ code: 2, kind: NotFound }}\nstack backtrace:\n"
            + "\n".join(f"{at:4}: {row}" for at, row in enumerate(rows)) + "\nnote: Some details are omitted, run with `RUST_BACKTRACE=full` for a verbose backtrace.")


def jvm(own, chance):
    at = lambda f: f"\tat {f.package}.{f.type or Path(f.path).stem}.{f.name}({Path(f.path).name}:{f.at + 2})"
    return ("Exception in thread \"main\" java.lang.RuntimeException: request failed\n\tat com.acme.shop.Handler.handle(Handler.java:51)\n"
            f"{at(own[-1])}\n\tat com.acme.shop.Main.main(Main.java:12)\nCaused by: java.lang.IllegalStateException: unexpected state 3\n\tat java.base/java.util.Objects.requireNonNull(Objects.java:233)\n"
            + "\n".join(map(at, own[:-1])) + "\n\t... 14 more")


def node(own, chance, root="/srv/app/node_modules/{}", paren="({})"):
    place = lambda f: f"{root.format(f.repo.name)}/{f.path}:{f.at + 2}:{chance.randint(3, 40)}"
    at = lambda f: f"    at {f.called()} {paren.format(place(f))}"
    return ("TypeError: Cannot read properties of undefined (reading 'length')\n    at Array.map (<anonymous>)\n" + "\n".join(map(at, own)) +
            "\n    at Object.<anonymous> (/srv/app/index.js:14:3)\n    at Module._compile (node:internal/modules/cjs/loader:1376:14)\n    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)")


def firefox(own, chance):
    at = lambda f: f"{f.name}@http://localhost:5173/{f.path}?t=1700000000:{f.at + 2}:{chance.randint(3, 40)}"
    return "Uncaught TypeError: can't access property \"length\", x is undefined\n" + "\n".join(map(at, own)) + "\n@http://localhost:5173/main.js:3:1"


def windows_node(own, chance):
    return node(own, chance, root="C:\\Users\\Jane Doe\\project\\node_modules\\{}").replace("/", "\\").replace("\n", "\r\n")


def windows_python(own, chance):
    return python(own, chance, home="C:\\Program Files\\Python311\\Lib\\site-packages", slash="\\").replace("\n", "\r\n")


def assertion(own, chance):
    f = own[0]
    return (f"{f.repo.name}_test: /build/{f.repo.name}/{f.path}:{f.at + 3}: void {f.called('::')}(const char *, int): Assertion `count >= 0' failed.\nAborted (core dumped)\n")


def gdb(own, chance):
    rows = ["#0  __pthread_kill_implementation (threadid=<optimized out>, signo=signo@entry=6) at ./nptl/pthread_kill.c:44", "#1  0x00007ffff7842476 in __GI_raise (sig=sig@entry=6) at ../sysdeps/posix/raise.c:26"]
    rows += [f"#{n}  0x0000555555{chance.randint(100000, 999999)} in {f.called('::')} (this=0x7fffffffe0, key=..., count=3) at ../{f.path}:{f.at + 3}" for n, f in enumerate(own, 2)]
    return "Program received signal SIGABRT, Aborted.\n(gdb) bt\n" + "\n".join(rows) + f"\n#{len(own) + 2}  0x00005555555a in main (argc=1, argv=0x7fffffffe3c8) at main.cc:12"


def asan(own, chance):
    rows = [f"    #{n} 0x55d4c{chance.randint(100000, 999999)} in {f.called('::')}(char const*, unsigned long) /build/{f.repo.name}/{f.path}:{f.at + 3}:9" for n, f in enumerate(own)]
    return ("==4711==ERROR: AddressSanitizer: heap-use-after-free on address 0x602000000010 at pc 0x55d4c9 bp 0x7ffd\nREAD of size 8 at 0x602000000010 thread T0\n"
            + "\n".join(rows) + "\n    #9 0x7f1 in __libc_start_main ../csu/libc-start.c:392\nSUMMARY: AddressSanitizer: heap-use-after-free")


def dotnet(own, chance):
    at = lambda f: f"   at {f.package}.{f.called()}(String name, Int32 count) in D:\\a\\1\\s\\{f.path.replace('/', chr(92))}:line {f.at + 2}"
    return "Unhandled exception. System.InvalidOperationException: Sequence contains no elements\r\n   at System.Linq.ThrowHelper.ThrowNoElementsException()\r\n" + "\r\n".join(map(at, own))


def php(own, chance):
    # A frame is where something was called, and what was called there.
    at = lambda n, f, by: f"#{n} /var/www/vendor/acme/{by.path}({by.at + 2}): {f.package}\\{f.called('->')}(Array, 3)"
    return (f"PHP Fatal error:  Uncaught TypeError: Unsupported operand types: string + int in /var/www/vendor/acme/{own[0].path}:{own[0].at + 2}\nStack trace:\n"
            + "\n".join(at(n, *pair) for n, pair in enumerate(zip(own, own[1:]))) + "\n#9 {main}\n  thrown in /var/www/vendor/acme/" + own[0].path + f" on line {own[0].at + 2}")


def ruby(own, chance):
    at = lambda f: f"/usr/local/bundle/gems/{f.repo.name}-4.0/{f.path}:{f.at + 2}:in `{f.name}'"
    return at(own[0]) + ": undefined method `length' for nil:NilClass (NoMethodError)\n" + "\n".join("\tfrom " + at(f) for f in own[1:]) + "\n\tfrom config.ru:4:in `<main>'"


def elixir(own, chance):
    at = lambda f: f"        (shop 0.4.1) {f.path}:{f.at + 2}: {f.type}.{f.name}/2"
    return "** (FunctionClauseError) no function clause matching\n" + "\n".join(map(at, own)) + "\n        (stdlib 5.0) proc_lib.erl:241: :proc_lib.init_p_do_apply/3"


# ------------------------------------------------------------ around it: logs, forms, other languages


def in_ci(text, chance):
    """The log of a run, every line with its time, some hundred lines before and after."""
    noise = ["Collecting package-{}==1.{}", "Requirement already satisfied: lib{} in /opt/hostedtoolcache (1.{})", "   Compiling dependency-{} v0.{}.0", "ok  \tgithub.com/acme/pkg{}\t0.{}s",
             "tests/test_area_{}.py::test_case_{} PASSED", "npm notice created a lockfile as package-lock-{}.json v{}", "Downloading artifact {} of {}", "test unit::case_{} ... ok ({} ms)",
             "##[group]Run step {} of {}", "Cache restored from key: linux-{}-{}"]
    rows = lambda count: [chance.choice(noise).format(chance.randint(1, 99), chance.randint(1, 99)) for _ in range(count)]
    lines = rows(chance.randint(120, 280)) + text.split("\n") + rows(chance.randint(100, 200)) + ["##[error]Process completed with exit code 1.", "Post job cleanup.", "Cleaning up orphan processes"]
    return "\n".join(f"2026-11-17T10:{at // 60 % 60:02}:{at % 60:02}.{chance.randint(1000000, 9999999)}Z {line}" for at, line in enumerate(lines))


def in_compose(text, chance):
    lines = ["listening on :8080", "GET /healthz 200 in 3ms", "GET /items?page=3 200 in 41ms"] * 4 + text.split("\n") + ["restarting"]
    return "\n".join(f"web-1  | {line}" for line in lines)


def german(own, chance):
    f = own[0]
    words = f.words(chance, 3)
    return (f"Falsches Ergebnis seit dem letzten Update\n\nHallo zusammen,\n\nseit wir auf die neue Version umgestellt haben, liefert `{f.called()}` bei uns ein falsches Ergebnis. "
            f"Wenn {words[0] if words else 'der Wert'} leer ist, sollte eigentlich nichts passieren, stattdessen bricht der Aufruf ab. Könnte das mit {' oder '.join(f'`{w}`' for w in words[1:]) or 'der Umstellung'} "
            "zusammenhängen?\n\nSchritte:\n1. Anwendung starten\n2. Formular leer abschicken\n\nVielen Dank und viele Grüße")


def chinese(own, chance):
    f = own[0]
    words = f.words(chance, 3)
    return (f"升级之后结果不正确\n\n你好，升级到最新版本之后，调用{f.called()}返回的结果不对。当{words[0] if words else '参数'}为空的时候应该直接返回，但是现在会报错。"
            f"是不是和{'、'.join(words[1:]) or '升级'}有关？\n\n复现步骤：\n1. 启动服务\n2. 提交空表单\n\n谢谢！")


def form(own, chance):
    f = own[0]
    words = f.words(chance, 2)
    return ("<!-- Thanks for filing an issue! Please search for duplicates first,\nand fill in every section below. -->\n\n### Is there an existing issue for this?\n\n- [x] I have searched the existing issues\n\n### Describe the bug\n\n"
            f"After upgrading, `{f.called()}` no longer does what the documentation says.\n\n| option | before | now |\n| --- | --- | --- |\n| `{words[0] if words else 'mode'}` | kept | dropped |\n| `{words[-1] if words else 'level'}` | 3 | 0 |\n\n"
            "### Steps To Reproduce\n\n<!-- A minimal example -->\n1. start it\n2. look at the table\n\n### Environment\n\n- OS: Windows 11\n- Version: 4.2.1\n\n<details>\n<summary>Logs</summary>\n\n_No response_\n\n</details>\n").replace("\n", "\r\n" if chance.random() < 0.5 else "\n")


SHAPES = {
    "python": ("python", python), "python on Windows": ("python", windows_python), "pytest": ("python", pytest), "pytest in CI": ("python", lambda own, chance: in_ci(pytest(own, chance), chance)),
    "python in compose": ("python", lambda own, chance: in_compose(python(own, chance), chance)),
    "go": ("go", go), "go in CI": ("go", lambda own, chance: in_ci(go(own, chance), chance)), "rust": ("rust", rust), "rust in CI": ("rust", lambda own, chance: in_ci(rust(own, chance), chance)),
    "java": ("java", jvm), "kotlin": ("kotlin", jvm), "node": ("javascript", node), "node on Windows": ("javascript", windows_node), "firefox": ("javascript", firefox),
    "assertion": ("cpp", assertion), "assertion in C": ("c", assertion), "gdb": ("cpp", gdb), "gdb in C": ("c", gdb), "sanitizer": ("cpp", asan), "dotnet": ("csharp", dotnet), "php": ("php", php), "ruby": ("ruby", ruby), "elixir": ("elixir", elixir),
    "German": (None, german), "Chinese": (None, chinese), "form": (None, form),
}


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("repos", nargs="+", type=Path)
    a.add_argument("--server", required=True)
    a.add_argument("--cases", type=int, default=10, help="of each shape")
    a.add_argument("--seed", type=int, default=7)
    a.add_argument("--only", help="one shape")
    a.add_argument("--misses", action="store_true")
    a = a.parse_args()
    chance, by_language = random.Random(a.seed), defaultdict(list)
    for repo in sorted(a.repos):
        for language, rows in functions(repo).items():
            by_language[language].append((repo, rows))
    cases = []
    for shape, (language, make) in SHAPES.items():
        repos = by_language[language] if language else [pair for pairs in by_language.values() for pair in pairs]
        for _ in range(a.cases if repos else 0):
            repo, rows = chance.choice(repos)
            own = [chance.choice(rows) for _ in range(3)]
            for one in own:
                one.at = max(1, one.line + chance.randint(-9, 15))
            cases.append((shape, repo, own[0], make(own, chance)))
    if a.only:
        cases = [case for case in cases if case[0] == a.only]
    servers, ranks = {}, defaultdict(list)
    for shape, repo, function, text in sorted(cases, key=lambda c: str(c[1])):
        if repo not in servers:
            servers = {repo: Server(a.server, repo)}  # the one before ends with its input
        results = servers[repo].tool("search_code", {"query": text, "limit": 10}).get("results", [])
        is_right = lambda r: r["path"] == function.path and r.get("name") == function.name
        rank = next((at for at, r in enumerate(results, 1) if is_right(r)), None)
        ranks[shape].append(rank)
        if a.misses and rank != 1:
            got = [f"{r['path']}:{r.get('name')}" for r in results[:4]]
            print(f"{shape}: {rank} {repo.name} {function.path}:{function.line} {function.called()}\n   got {got}")
    print(f"{'shape':20} cases  first  among five")
    for shape in [shape for shape in SHAPES if ranks[shape]] + ["all"]:
        row = ranks[shape] if shape != "all" else [rank for some in ranks.values() for rank in some]
        part = lambda k: sum(1 for rank in row if rank and rank <= k) / max(1, len(row))
        print(f"{shape:20} {len(row):5}  {part(1):.2f}   {part(5):.2f}")


if __name__ == "__main__":
    main()
