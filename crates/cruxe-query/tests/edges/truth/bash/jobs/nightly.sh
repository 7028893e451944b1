#!/usr/bin/env bash
DIR=$(cd -- "$(dirname -- "$0")" &> /dev/null && pwd)
LIB="$DIR/../lib" # «DIR»
source "$LIB/queue.sh" # «LIB»
source "$LIB/retry.sh" # «LIB»
source "$LIB/options.sh" # «LIB»

nightly_one() {
  queue_push a b # «queue_push»
  queue_drain > "$DIR/out" 2>&1 # «queue_drain DIR»
}

nightly() {
  options_read "$@" # «options_read»
  options_show # «options_show»
  retry nightly_one # «retry nightly_one»
  while read -r line; do
    log "$line" # «log»
  done < <(date_text 1) # «date_text»
  local when
  when="$(date_now)" # «date_now»
  { date_of "$when"; nightly_end; } >> "$DIR/log" # «date_of nightly_end DIR»
}

nightly_end() { log end; } # «log»

nightly "$@" # «nightly»
