LEVEL=info

log() {
  echo "$LEVEL: $1" # «LEVEL»
}

fail() {
  log "$1" # «log»
  return 1
}
