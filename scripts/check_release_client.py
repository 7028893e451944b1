"""Starts a server (the arguments behind the first two) in a folder and asks it where `early` is defined."""

import json
import os
import subprocess
import sys
import time

folder, home, *command = sys.argv[1:]
server = subprocess.Popen(
    command, cwd=folder, env={**os.environ, "CRUXE_HOME": home}, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
)


def ask(number, method, params):
    server.stdin.write(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}) + "\n")
    server.stdin.flush()
    while True:
        line = server.stdout.readline()
        if not line:
            sys.exit(f"{command}: the server ended")
        message = json.loads(line)
        if message.get("id") == number:
            return message["result"]


hello = ask(1, "initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "check", "version": "1"}})
assert hello["serverInfo"]["name"] == "cruxe", hello
for attempt in range(600):
    answer = ask(attempt + 2, "tools/call", {"name": "locate_symbol", "arguments": {"name": "early"}})
    if "a.py" in json.dumps(answer):
        break
    time.sleep(0.1)
else:
    sys.exit(f"{command}: early was not found: {answer}")
server.stdin.close()
sys.exit(server.wait(timeout=30))
