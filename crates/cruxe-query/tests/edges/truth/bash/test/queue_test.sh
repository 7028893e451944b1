source "$(dirname "$0")/../lib/queue.sh"

test_push() {
  queue_push x # «queue_push»
  assert_equal "${#QUEUE[@]}" 1 # «assert_equal QUEUE»
}

test_pop() {
  local got
  queue_pop got # «queue_pop»
  assert_equal "$got" x # «assert_equal»
}

assert_equal() {
  [ "$1" = "$2" ] || { fail "$1 is not $2"; return 1; } # «fail»
}

for one in test_push test_pop; do # «test_push test_pop»
  "$one"
done
unset -f test_pop # «test_pop»
