#!/bin/sh
# Runs the official Python client (`mcp` from PyPI) against the built server.
# Says `skipped: …` and succeeds where Python, pip or the network is missing: that is the machine's, not ours.
#
#   scripts/check-python-sdk.sh [path of the cruxe binary [URL of a server over HTTP]]
set -eu

here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
target=${CARGO_TARGET_DIR:-$here/../target}
venv=$target/python-sdk

skip() {
    echo "skipped: $1"
    exit 0
}

if [ $# -ge 1 ]; then
    cruxe=$1
elif [ -x "$target/release/cruxe" ]; then
    cruxe=$target/release/cruxe
else
    cruxe=$target/debug/cruxe
fi
[ -x "$cruxe" ] || { echo "error: $cruxe is not built; run cargo build first" >&2; exit 1; }

command -v python3 >/dev/null 2>&1 || skip "there is no python3"
python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' || skip "python3 is older than 3.10"
mkdir -p "$target"
if ! "$venv/bin/python" -c 'import mcp, jsonschema' >/dev/null 2>&1; then
    rm -rf "$venv"
    python3 -m venv "$venv" >"$target/python-sdk.log" 2>&1 || skip "python3 cannot make a venv (see $target/python-sdk.log)"
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --retries 1 --timeout 20 'mcp>=1.10' jsonschema \
        >>"$target/python-sdk.log" 2>&1 || { rm -rf "$venv"; skip "pip cannot install mcp (see $target/python-sdk.log)"; }
fi
exec "$venv/bin/python" "$here/check_python_sdk.py" "$cruxe" ${2+"$2"}
