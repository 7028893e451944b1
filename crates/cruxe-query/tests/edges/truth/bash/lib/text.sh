text_upper() {
  local text="$1"
  echo "${text^^}"
}

text_join() {
  local IFS=,
  echo "$*"
}

text_shout() {
  printf '%s!\n' "$(text_upper "$1")" # «text_upper»
}
