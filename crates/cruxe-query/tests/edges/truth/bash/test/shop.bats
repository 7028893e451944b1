#!/usr/bin/env bats
load helpers
source lib/till.sh

setup_file() {
  export SHOP_NAME=test # «SHOP_NAME»
}

@test "cash is taken" {
  run_quietly till_pay cash # «run_quietly till_pay»
  expect "cash 0" # «expect»
}

@test "other payments are refused" {
  ! till_pay shells # «till_pay»
  [ "$HELPER_OUT" != "" ] # «HELPER_OUT»
}
