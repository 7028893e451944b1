source "$(dirname "$0")/log.sh"

total() {
  local sum=0
  log "sum $sum" # «log»
  echo "$sum"
}

function describe {
  log "$(total)" # «log total»
}
