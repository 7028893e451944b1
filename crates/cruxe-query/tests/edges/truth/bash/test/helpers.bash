# For the tests.
HELPER_OUT=

run_quietly() {
  HELPER_OUT=$("$@" 2>&1) # «HELPER_OUT»
}

expect() {
  [[ $HELPER_OUT == "$1" ]] || { printf '%s\n' "$HELPER_OUT" >&2; return 1; } # «HELPER_OUT»
}
