RETRIES=3

retry() {
  local left=$RETRIES # «RETRIES»
  while (( left-- )); do
    "$@" && return
  done
  retry_failed "$1" # «retry_failed»
}

retry_failed() {
  RETRIES=0 # «RETRIES»
  cat <<END
gave up: $(retry_name "$1") $RETRIES «retry_name RETRIES»
END
}

retry_name() { basename "$1"; }
