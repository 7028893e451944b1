# Functions between pipes, in the background, in other shells.
source lib/log.sh

pipe_in() { cat "$1"; }
pipe_filter() { grep -v '^#'; }
pipe_out() { sort; }

pipe_all() {
  pipe_in "$1" | pipe_filter | pipe_out > out & # «pipe_in pipe_filter pipe_out»
  local job=$!
  wait "$job" || { log failed; return 1; } # «log»
  diff <(pipe_in a) <(pipe_in b | pipe_out) # «pipe_in pipe_out»
  (cd /tmp && pipe_in c) |& pipe_filter # «pipe_in pipe_filter»
  time pipe_out < out # «pipe_out»
  ! pipe_filter < out # «pipe_filter»
  coproc pipe_out # «pipe_out»
  find . -name x | xargs -n1 pipe_in # «pipe_in»
}
