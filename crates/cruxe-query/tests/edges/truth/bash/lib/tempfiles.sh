# What a trap runs is a text.
TMP_DIR=
TMP_COUNT=0

tmp_make() {
  TMP_DIR=$(mktemp -d) # «TMP_DIR»
  trap 'tmp_clean "$TMP_DIR"; exit 1' INT TERM # «tmp_clean TMP_DIR»
  trap "tmp_count; tmp_clean $TMP_DIR" EXIT # «tmp_count tmp_clean TMP_DIR»
  trap - HUP
}

tmp_clean() { rm -rf -- "$1"; }

tmp_count() {
  TMP_COUNT=$((TMP_COUNT + 1)) # «TMP_COUNT»
}

# A text that nobody runs names nothing.
tmp_help() {
  echo 'tmp_clean removes everything'
  echo "see tmp_count"
}
