# Waits for a server, with a time limit.
. "$(dirname "${BASH_SOURCE[0]}")/http.sh"

WAIT_STEPS=(0.1 0.5 1)

wait_for() {
  local step
  for step in "${WAIT_STEPS[@]}"; do # «WAIT_STEPS»
    if http::get "$1" > /dev/null; then # «http::get»
      return 0
    fi
    sleep "$step"
  done
  wait_gave_up "$1" "${#WAIT_STEPS[@]}" # «wait_gave_up WAIT_STEPS»
}

wait_gave_up() {
  http::fail "$1 after $2" # «http::fail»
}
