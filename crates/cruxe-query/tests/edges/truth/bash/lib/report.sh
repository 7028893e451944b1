source lib/till.sh

report_daily() {
  {
    catalog_list # «catalog_list»
    stock_sum # «stock_sum»
  } | while read -r line; do
    text_join a "$line" # «text_join»
  done
  stock_sum && report_end || fail_with "none" # «stock_sum report_end fail_with»
}

report_end() (
  cd "$ROOT" || return # «ROOT»
  unset STOCK # «STOCK»
)

export -f report_daily # «report_daily»
