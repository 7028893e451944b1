# Commands that fill variables.
ANSWER=
LINES_READ=()
NAME=nobody

input_ask() {
  read -r -p "Name? " ANSWER # «ANSWER»
  printf -v NAME '%s' "$ANSWER" # «NAME ANSWER»
}

input_lines() {
  mapfile -t LINES_READ < "$1" # «LINES_READ»
  echo "${#LINES_READ[@]}" # «LINES_READ»
}

input_own() {
  local ANSWER
  read -r ANSWER
  echo "$ANSWER"
}

input_all() {
  input_ask && input_lines "$NAME" # «input_ask input_lines NAME»
  while IFS= read -r line; do
    input_own <<< "$line" # «input_own»
  done
}
