#!/usr/bin/env bash
# Steps by name, in an environment that is set for one command.
source "$(dirname "$0")/../lib/cases.sh"
source "$(dirname "$0")/../lib/maps.sh"

CI_STEPS="step_lint step_test"
CI=${CI:-false} # «CI»

step_lint() { case_of lint; } # «case_of»
step_test() { map_run up x; } # «map_run»
step_deploy() { map_all; } # «map_all»

run_steps() {
  local step
  for step in $CI_STEPS; do # «CI_STEPS»
    CI=true "$step" # «CI»
  done
  if $CI; then step_deploy; fi # «CI step_deploy»
}

[[ ${BASH_SOURCE[0]} == "$0" ]] && run_steps # «run_steps»
