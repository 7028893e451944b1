#!/usr/bin/env bash
# Holds the pages against a real browser: their scripts against TypeScript's compiler, then every page in Chromium, with a
# repository that this script makes. Screenshots are left in the target folder, under web-check/shots.
#
# Says `skipped: …` and succeeds where Node, the package registry or Chromium is missing: that is the machine's, not ours.
#
#   scripts/check-web.sh [profile: debug or release] [a repository to look at too]
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
target=${CARGO_TARGET_DIR:-$here/../target}
target=$(cd "$target" && pwd)
cruxe=$target/${1:-debug}/cruxe
tools=$target/web-check
[ -x "$cruxe" ] || { echo "error: $cruxe is not built; run \`cargo build --bin cruxe\`" >&2; exit 1; }

skip() { echo "skipped: $1"; exit 0; }
command -v npm >/dev/null && command -v node >/dev/null || skip "there is no Node"
mkdir -p "$tools"
echo '{"private": true}' >"$tools/package.json"
(cd "$tools" && timeout 120 npm install --no-audit --no-fund --no-progress --save-exact \
  typescript@7.0.2 playwright-core@1.65.1 axe-core@4.14.0 >"$tools/npm.log" 2>&1) || skip "npm cannot install TypeScript, Playwright and axe"

"$tools/node_modules/.bin/tsc" --noEmit --allowJs --checkJs --strict --noUnusedLocals --target es2023 --module esnext \
  --moduleResolution bundler --lib es2023,dom,dom.iterable "$here"/../crates/cruxe-web/assets/*.js
echo "types of the pages' scripts: ok"

chromium=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)}
[ -n "$chromium" ] || skip "there is no Chromium: the pages were not looked at"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
timeout 240 env CRUXE_HOME="$work/home" node "$here/check_web.mjs" "$tools/node_modules" "$chromium" "$cruxe" "$work" "$tools/shots" "${2:-}"
