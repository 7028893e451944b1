# Choices.
source lib/pipes.sh

CASE_DEFAULT=none
CASE_FIRST=one

case_of() {
  case "$1" in
    "$CASE_DEFAULT") case_none ;; # «CASE_DEFAULT case_none»
    "$CASE_FIRST" | first) case_one; ;& # «CASE_FIRST case_one»
    [0-9]*) case_one "$1" ;; # «case_one»
    *) case_of "$CASE_DEFAULT" ;; # «case_of CASE_DEFAULT»
  esac
}

case_none() { return 0; }
case_one() { pipe_all "$@"; } # «pipe_all»

case_menu() {
  select choice in "$CASE_FIRST" quit; do # «CASE_FIRST»
    case_of "$choice" # «case_of»
  done
}
