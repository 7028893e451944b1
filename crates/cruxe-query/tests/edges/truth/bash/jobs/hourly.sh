#!/bin/sh
. ./lib/retry.sh

hourly() {
  if command -v retry > /dev/null; then # «retry»
    retry hourly_check # «retry hourly_check»
  fi
  hourly_check || exit 1 # «hourly_check»
}

hourly_check() { test -n "$RETRIES"; } # «RETRIES»

trap hourly_check INT TERM # «hourly_check»
hourly # «hourly»
