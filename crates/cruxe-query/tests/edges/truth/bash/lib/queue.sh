source "${BASH_SOURCE%/*}/log.sh"

QUEUE=()
QUEUE_MAX=${QUEUE_MAX:-5} # «QUEUE_MAX»

queue_push() {
  (( ${#QUEUE[@]} < QUEUE_MAX )) || fail "full" # «QUEUE QUEUE_MAX fail»
  QUEUE+=("$@") # «QUEUE»
}

queue_pop() {
  local -n into=$1
  into=${QUEUE[0]} # «QUEUE»
  QUEUE=("${QUEUE[@]:1}") # «QUEUE»
}

queue_empty() { [[ ${#QUEUE[@]} -eq 0 ]]; } # «QUEUE»

queue_drain() {
  local one
  until queue_empty; do # «queue_empty»
    queue_pop one # «queue_pop»
    log "$one" & # «log»
  done
  wait
}
