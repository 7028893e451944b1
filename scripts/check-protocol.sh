#!/usr/bin/env bash
# Holds the built server against other people's idea of the protocol: MCP's conformance suite, the MCP Inspector, the
# TypeScript and the Python client; over stdio and HTTP.
#
# Says `skipped: …` and succeeds where Node or the package registry is missing: that is the machine's, not ours. Nothing
# here waits without an end.
#
#   scripts/check-protocol.sh [profile: debug or release]
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
target=${CARGO_TARGET_DIR:-$here/../target}
target=$(cd "$target" && pwd)
profile=${1:-debug}
cruxe=$target/$profile/cruxe
fixtures=$target/$profile/examples/conformance
tools=$target/protocol

for program in "$cruxe" "$fixtures"; do
  [ -x "$program" ] || { echo "error: $program is not built; run \`cargo build --bin cruxe\` and \`cargo build -p cruxe-server --example conformance\`" >&2; exit 1; }
done

work=$(mktemp -d)
servers=()
finish() {
  for server in ${servers[@]+"${servers[@]}"}; do kill "$server" 2>/dev/null || true; done
  rm -rf "$work"
}
trap finish EXIT

failed=0
note() { printf '%-60s %s\n' "$1" "$2"; }
check() { # what, log, command …
  local what=$1 log=$2
  shift 2
  if timeout "${patience:-60}" "$@" >"$log" 2>&1; then note "$what" ok; else note "$what" FAILED; tail -n 30 "$log"; failed=1; fi
}

# A repository with something in it, and a home of its own.
export CRUXE_HOME=$work/home HOME=$work GIT_CONFIG_GLOBAL=/dev/null
mkdir -p "$work/repo/src"
printf 'pub struct Claims;\n\nimpl Claims {\n    pub fn subject(&self) -> &str {\n        "x"\n    }\n}\n' >"$work/repo/src/lib.rs"
git -C "$work/repo" init -q -b main
git -C "$work/repo" add -A
git -C "$work/repo" -c user.name=a -c user.email=a@example.org commit -q -m first
timeout 60 "$cruxe" index --workspace "$work/repo" >/dev/null 2>&1

listen() { # log, command …: sets `url`
  local log=$1
  shift
  "$@" >"$log" 2>&1 &
  servers+=($!)
  for _ in $(seq 600); do
    url=$(sed -n 's/^listening on //p' "$log")
    [ -n "$url" ] && return
    sleep 0.1
  done
  echo "error: $1 does not listen"; cat "$log"; exit 1
}
listen "$work/fixtures.log" "$fixtures"
fixtures_url=$url
listen "$work/cruxe.log" "$cruxe" serve-mcp --transport http --port 0 --workspace "$work/repo"
cruxe_url=$url

# Python has its own script; it says by itself when it is skipped.
patience=200 check "the Python client, stdio and HTTP" "$work/python.log" "$here/check-python-sdk.sh" "$cruxe" "$cruxe_url"
grep '^skipped' "$work/python.log" || true

skip() {
  echo "skipped: $1"
  exit "$failed"
}
command -v npm >/dev/null 2>&1 || skip "there is no Node"
install() { # folder, package …: false where they cannot be had
  local folder=$tools/$1 log=$target/protocol-$1.log
  shift
  [ "$(cat "$folder/installed" 2>/dev/null)" = "$*" ] && return
  rm -rf "$folder"
  mkdir -p "$folder"
  timeout 150 npm install --prefix "$folder" --no-audit --no-fund --ignore-scripts --fetch-retries 1 --fetch-timeout 20000 "$@" \
    >"$log" 2>&1 || return
  # Scripts of strangers are not run, with one exception: node@22 fetches the program for the machine's kind by one.
  [ ! -d "$folder/node_modules/node" ] || timeout 100 npm --prefix "$folder" rebuild node >>"$log" 2>&1 || return
  printf '%s' "$*" >"$folder/installed"
}
install suite node@22 @modelcontextprotocol/conformance@0.2.0-alpha.11 @modelcontextprotocol/sdk@1.32.2 ||
  skip "npm cannot install the suite (see $target/protocol-suite.log)"
export PATH=$tools/suite/node_modules/.bin:$PATH
case $(node --version) in
  v2[2-9].* | v[3-9]?.*) ;;
  *) skip "Node 22 cannot be had" ;;
esac

for revision in 2025-11-25 2026-07-28; do
  check "conformance $revision, fixtures" "$work/conformance.log" \
    conformance server --url "$fixtures_url" --requirements "$revision" -o "$work/results"
done
for scenario in server-initialize server-session-lifecycle ping tools-list resources-list prompts-list dns-rebinding-protection; do
  check "conformance $scenario, the program itself" "$work/conformance.log" \
    conformance server --url "$cruxe_url" --scenario "$scenario" --spec-version 2025-11-25 -o "$work/results"
done
for scenario in tools-list caching http-header-validation dns-rebinding-protection; do
  check "conformance $scenario, the program itself, newest" "$work/conformance.log" \
    conformance server --url "$cruxe_url" --scenario "$scenario" --spec-version 2026-07-28 -o "$work/results"
done

check "the TypeScript client, stdio and HTTP" "$work/typescript.log" \
  node "$here/check_typescript_sdk.mjs" "$tools/suite" "$cruxe" "$work/repo" "$cruxe_url"

# The TypeScript client has had the index rebuilt; whoever still works on it is waited for.
for _ in $(seq 100); do
  timeout 60 "$cruxe" sync --workspace "$work/repo" >/dev/null 2>&1 && break
  sleep 0.2
done
# The Inspector hands a program no variables but the usual ones, so there the index is that of the home folder.
env -u CRUXE_HOME timeout 60 "$cruxe" index --workspace "$work/repo" >/dev/null 2>&1
install inspector @modelcontextprotocol/inspector@2.12.0 || skip "npm cannot install the Inspector (see $target/protocol-inspector.log)"
inspector=$tools/inspector/node_modules/.bin/mcp-inspector
# It is a process a call; four at a time.
inspect() { # transport, tool, argument …
  local transport=$1 tool=$2
  shift 2
  local arguments=()
  for argument in "$@"; do arguments+=(--tool-arg "$argument"); done
  local server=("$cruxe_url")
  [ "$transport" = stdio ] && server=("$cruxe" serve-mcp --workspace "$work/repo")
  local log=$work/inspector.$transport.$tool.log
  if timeout 60 "$inspector" --cli --method tools/call --tool-name "$tool" ${arguments[@]+"${arguments[@]}"} -- "${server[@]}" \
    >"$log" 2>&1 || grep -q '_in_progress' "$log"; then
    # Calls at the same time may find a job of another.
    grep -q structuredContent "$log" && return
  fi
  note "the Inspector calls $tool over $transport" FAILED
  tail -n 20 "$log"
  : >"$work/inspector.failed"
}
calls=(
  "search_code query=subject" "locate_symbol name=Claims" "get_file_outline path=src/lib.rs" "find_references symbol_name=Claims"
  "get_call_graph symbol_name=subject" "diff_context" "compare_symbol_between_commits symbol_name=Claims base_ref=main head_ref=main"
  "explain_ranking query=subject result_path=src/lib.rs result_line_start=4" "list_refs"
  'suggest_followup_queries previous_query={"tool":"search_code","params":{"query":"subject"}} previous_results={"results":[],"top_score":0.1}'
  "switch_ref ref=main" "index_repo" "sync_repo" "index_status" "health_check"
)
for transport in stdio http; do
  list=$work/inspector.$transport.list
  server=("$cruxe_url")
  [ "$transport" = stdio ] && server=("$cruxe" serve-mcp --workspace "$work/repo")
  check "the Inspector lists the tools over $transport" "$list" "$inspector" --cli --method tools/list -- "${server[@]}"
  for call in "${calls[@]}"; do
    # shellcheck disable=SC2086
    inspect "$transport" $call &
    while [ "$(jobs -rp | wc -l)" -ge $((4 + ${#servers[@]})) ]; do sleep 0.05; done
  done
done
for job in $(jobs -rp); do
  case " ${servers[*]} " in *" $job "*) ;; *) wait "$job" || true ;; esac
done
if [ -e "$work/inspector.failed" ]; then failed=1; else note "the Inspector calls every tool, stdio and HTTP" ok; fi
exit "$failed"
