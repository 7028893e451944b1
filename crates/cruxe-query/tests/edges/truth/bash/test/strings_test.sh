source test/helpers.bash
source lib/strings.sh
source lib/here.sh
source lib/input.sh

test_parts() {
  run_quietly string_parts # «run_quietly string_parts»
  expect "b,/a" # «expect»
}

test_here() {
  run_quietly here_tabs # «run_quietly here_tabs»
  input_all < /dev/null # «input_all»
}

test_parts; test_here # «test_parts test_here»
