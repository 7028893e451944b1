# Constants that others print, and a function behind a test.
readonly RED=$'\e[31m' PLAIN=$'\e[0m'
declare -r BOLD=$'\e[1m'

if [ -t 1 ]; then
  colour_on() { printf '%s' "$RED$BOLD"; } # «RED BOLD»
else
  colour_on() { :; }
fi

colour_off() { printf '%s' "${PLAIN}"; } # «PLAIN»

coloured() {
  colour_on # «colour_on»
  "$@"
  colour_off # «colour_off»
}
