"""Calls tools of the built server through the official Python client, over stdio and, where a URL is given, over HTTP.

The client validates structured content against each tool's output schema by itself; so does this script, and it
compares the text content with it.
"""

import asyncio
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import jsonschema
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

SOURCES = {
    "app/__init__.py": "",
    "app/auth.py": '"""Tokens."""\n\n\nclass Validator:\n    def check(self, token: str) -> bool:\n        return bool(token)\n',
    "src/lib.rs": "pub struct Claims;\n\nimpl Claims {\n    pub fn subject(&self) -> &str {\n        \"x\"\n    }\n}\n",
}

CALLS = [
    # tool, arguments, what the structured content must fulfil
    ("index_status", {}, lambda c: c["index_status"] == "ready" and c["file_count"] == 3),
    ("health_check", {}, lambda c: c["status"] == "ready" and c["tantivy_ok"] and c["sqlite_ok"]),
    ("locate_symbol", {"name": "Validator.check"}, lambda c: c["results"][0]["path"] == "app/auth.py"),
    ("locate_symbol", {"name": "Claims", "detail_level": "context"}, lambda c: c["results"][0]["kind"] == "struct"),
    ("locate_symbol", {"name": "subject", "ranking_explain_level": "full"}, lambda c: c["metadata"]["ranking_reasons"]),
    ("get_file_outline", {"path": "app/auth.py"}, lambda c: c["symbols"][0]["children"][0]["name"] == "check"),
    ("sync_repo", {}, lambda c: c["status"] == "running" and c["changed_files"] is None),
    ("index_repo", {"force": True}, lambda c: c["mode"] == "full"),
]

ERRORS = [
    ("locate_symbol", {}, "invalid_input"),
    ("locate_symbol", {"name": "x", "ref": "nonesuch"}, "ref_not_indexed"),
    ("get_file_outline", {"path": "nonesuch.py"}, "file_not_found"),
    ("health_check", {"workspace": "/nonesuch"}, "workspace_not_registered"),
]


def wire(model):
    """The names of the protocol, whatever this version of the client calls its attributes."""
    return model.model_dump(by_alias=True)


class Tally:
    passed = 0
    failed = 0

    def check(self, what, good, detail=""):
        if good:
            self.passed += 1
        else:
            self.failed += 1
            print(f"FAILED {what}: {detail}")


async def settled(session):
    """Waits until no job runs."""
    for _ in range(600):
        status = wire(await session.call_tool("index_status", {}))["structuredContent"]
        if status["active_job"] is None and status["index_status"] == "ready":
            return
        await asyncio.sleep(0.05)
    raise TimeoutError("the index does not become ready")


async def check(session, tally):
    hello = wire(await session.initialize())
    tally.check("initialize", hello["serverInfo"]["name"] == "cruxe" and hello["instructions"], hello)
    tools = {tool["name"]: tool for tool in wire(await session.list_tools())["tools"]}
    for name in sorted({name for name, _, _ in CALLS}):
        tool = tools.get(name)
        tally.check(f"list_tools has {name}", tool and tool["outputSchema"] and tool["description"], sorted(tools))
    await settled(session)
    for name, arguments, fulfils in CALLS:
        result = wire(await session.call_tool(name, arguments))
        content = result["structuredContent"]
        what = f"{name} {json.dumps(arguments)}"
        if result["isError"] or content is None:
            tally.check(what, False, result)
            continue
        tally.check(what, fulfils(content), content)
        jsonschema.validate(content, tools[name]["outputSchema"])
        tally.check(f"{what}: text", json.loads(result["content"][0]["text"]) == content, result["content"])
        await settled(session)
    for name, arguments, code in ERRORS:
        result = wire(await session.call_tool(name, arguments))
        found = (result["structuredContent"] or {}).get("error", {}).get("code")
        tally.check(f"{name} {json.dumps(arguments)} fails", result["isError"] and found == code, result)
    notes = []

    async def note(progress, total, message):
        notes.append((progress, total))

    result = wire(await session.call_tool("index_repo", {"force": True}, progress_callback=note))
    tally.check("progress reaches its end", bool(notes) and notes[-1] == (3, 3), notes)
    tally.check("progress: the job is published", (result["structuredContent"] or {}).get("status") == "published", result)


async def check_http(url, tally):
    """The same client over HTTP; the server there is somebody else's."""
    from mcp.client import streamable_http

    # Its name has changed, and so has the number of things that it hands out.
    connect = getattr(streamable_http, "streamable_http_client", None) or streamable_http.streamablehttp_client
    async with connect(url) as streams, ClientSession(streams[0], streams[1]) as session:
        hello = wire(await session.initialize())
        tally.check("http: initialize", hello["serverInfo"]["name"] == "cruxe", hello)
        tools = wire(await session.list_tools())["tools"]
        tally.check("http: list_tools", len(tools) >= 15, tools)
        await settled(session)
        result = wire(await session.call_tool("health_check", {}))
        tally.check("http: health_check", (result["structuredContent"] or {}).get("sqlite_ok") is True, result)


async def main(cruxe, url):
    tally = Tally()
    with tempfile.TemporaryDirectory(prefix="cruxe-sdk-") as folder:
        root = Path(folder).resolve() / "repo"
        for path, text in SOURCES.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text)
        environment = {
            "PATH": os.environ.get("PATH", ""),
            "HOME": folder,
            "CRUXE_HOME": f"{folder}/home",
            "GIT_CONFIG_GLOBAL": "/dev/null",
        }
        subprocess.run(["git", "init", "-q", "-b", "main"], cwd=root, env=environment, check=True)
        server = StdioServerParameters(
            command=str(Path(cruxe).resolve()), args=["serve-mcp", "--workspace", str(root)], env=environment
        )
        async with stdio_client(server) as (reader, writer), ClientSession(reader, writer) as session:
            await check(session, tally)
    if url:
        await check_http(url, tally)
    print(f"{tally.passed} passed, {tally.failed} failed")
    return tally.failed == 0


if __name__ == "__main__":
    sys.exit(0 if asyncio.run(main(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None)) else 1)
