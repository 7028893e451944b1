# Arithmetic in all its forms.
STEP=2
LIMIT=10
TOTAL=0

number_next() {
  echo $(( $1 + STEP )) # «STEP»
}

number_sum() {
  local i
  for (( i = 0; i < LIMIT; i += STEP )); do # «LIMIT STEP»
    (( TOTAL += i )) # «TOTAL»
  done
  let "TOTAL = TOTAL * 1"
  if (( TOTAL > LIMIT )); then # «TOTAL LIMIT»
    TOTAL=$(number_next "$TOTAL") # «number_next TOTAL»
  fi
}

number_show() {
  number_sum # «number_sum»
  printf '%d\n' "$((TOTAL))" "${TOTAL}" # «TOTAL»
}
