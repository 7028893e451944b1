# A local, a parameter of read and a loop's variable hide what is called so outside.
COLOUR=red

shadow_local() {
  local COLOUR=blue
  echo "$COLOUR"
}

shadow_outer() {
  echo "$COLOUR" # «COLOUR»
}

shadow_date_of() {
  local date_of=1
  echo "$date_of"
}
