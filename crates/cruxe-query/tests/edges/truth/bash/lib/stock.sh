source lib/catalog.sh

STOCK=()

stock_add() {
  if (( ${#STOCK[@]} >= MAX_ITEMS )); then # «STOCK MAX_ITEMS»
    fail_with "full" # «fail_with»
  fi
  STOCK+=("$1") # «STOCK»
}

fail_with() {
  echo "$1" >&2
  exit 1
}

stock_sum() {
  local sum=0 item
  for item in "${STOCK[@]}"; do # «STOCK»
    sum=$((sum + $(price_of "$item"))) # «price_of»
  done
  echo "$sum"
}
