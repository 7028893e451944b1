#!/usr/bin/env bash
# Functions whose names have a namespace, and variables that a caller may set.
source "${BASH_SOURCE[0]%/*}/../log.sh"

: "${HTTP_TIMEOUT:=5}" # «!HTTP_TIMEOUT»
HTTP_BASE=${HTTP_BASE:-http://localhost} # «HTTP_BASE»
declare -A HTTP_CODES=([ok]=200 [gone]=410)

http::get() {
  local url="$HTTP_BASE/$1" # «HTTP_BASE»
  curl -fsS "$url" || http::fail "$url" # «http::fail»
}

http::fail() {
  log "no answer from $1" # «log»
  return 1
}

http::code() {
  echo "${HTTP_CODES[$1]:-0}" # «HTTP_CODES»
}

http::is_ok() {
  [[ $(http::code ok) -eq ${HTTP_CODES[ok]} ]] # «http::code HTTP_CODES»
}
