#!/usr/bin/env bash
# Writes what the work tree changes since BASE, symbol by symbol, as a comment: symbol-diff.sh BASE LIMIT
set -euo pipefail
base=$1 limit=$2
file=${RUNNER_TEMP:-/tmp}/symbol-diff.md
# The longest comment that GitHub takes is 65,536 characters.
diff=$(cruxe diff "$base" --limit "$limit" | head -c 60000)
# A fence longer than any in the text: what a repository says cannot end it.
fence='```'
while [[ $diff == *"$fence"* ]]; do fence+='`'; done
{
  printf '<!-- cruxe symbol diff -->\n### Symbols that this changes\n\n'
  printf '%s\n%s\n%s\n\n' "${fence}text" "$diff" "$fence"
  printf 'Compared with the merge base of `%s`; layout and comments alone do not count as a change of code.\n' "${base:0:12}"
} >"$file"
[ -z "${GITHUB_OUTPUT:-}" ] || echo "file=$file" >>"$GITHUB_OUTPUT"
[ -z "${GITHUB_STEP_SUMMARY:-}" ] || cat "$file" >>"$GITHUB_STEP_SUMMARY"
