#!/usr/bin/env bash
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source "$here/../lib/report.sh" # «here»

trap 'report_end' EXIT # «report_end»

main() {
  stock_add apple # «stock_add»
  till_pay "${1:-cash}" # «till_pay»
  report_daily > "$ROOT/report" # «report_daily ROOT»
  local run=report_daily # «report_daily»
  "$run"
}

main "$@" # «main»
