# Arrays of names of functions, and references by name.
source lib/text.sh

declare -A HANDLERS=([up]=text_upper [join]="text_join") # «text_upper text_join»
STAGES=(stage_read stage_write) # «stage_read stage_write»

stage_read() { cat; }
stage_write() { tee out; }

map_run() {
  local handler=${HANDLERS[$1]} # «HANDLERS»
  "$handler" "$2"
}

map_all() {
  local stage
  for stage in "${STAGES[@]}"; do # «STAGES»
    "$stage"
  done
  map_put HANDLERS low stage_read # «map_put stage_read»
}

map_put() {
  local -n map=$1
  map[$2]=$3
}
