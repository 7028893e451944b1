. "$(dirname "${BASH_SOURCE[0]}")/dates.sh"

VERBOSE=
declare -i COUNT=0
declare -r FORMAT=text

options_read() {
  while getopts "vn:" name; do
    case $name in
      v) VERBOSE=yes ;; # «VERBOSE»
      n) COUNT=$OPTARG ;; # «COUNT»
      *) options_help >&2 ;; # «options_help»
    esac
  done
}

options_help() {
  echo "usage: $FORMAT ${VERBOSE:+-v}" # «FORMAT VERBOSE»
}

options_show() {
  [[ $VERBOSE == yes && $COUNT -gt 0 ]] || return # «VERBOSE COUNT»
  (( COUNT++ )) # «COUNT»
  if date_text "$COUNT" | grep -q on; then # «date_text COUNT»
    options_help # «options_help»
  elif ! date_later; then # «date_later»
    return 1
  fi
}
