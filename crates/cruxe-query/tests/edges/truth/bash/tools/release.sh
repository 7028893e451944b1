#!/bin/bash
# A script that uses many of the others, from another folder.
set -e
ROOT_DIR=$(git rev-parse --show-toplevel)
. "$ROOT_DIR/lib/tempfiles.sh" # «ROOT_DIR»
. "$ROOT_DIR/lib/net/wait.sh" # «ROOT_DIR»
. "$ROOT_DIR/lib/colours.sh" # «ROOT_DIR»

VERSION=${1:?which version}

release_build() {
  tmp_make # «tmp_make»
  (
    cd "$TMP_DIR" # «TMP_DIR»
    VERSION="$VERSION" make all # «VERSION»
  )
}

release_push() {
  wait_for "releases/$VERSION" || exit 1 # «wait_for VERSION»
  coloured release_done "$VERSION" # «coloured release_done VERSION»
}

release_done() { http::is_ok && echo "done: $1"; } # «http::is_ok»

release_build && release_push # «release_build release_push»
