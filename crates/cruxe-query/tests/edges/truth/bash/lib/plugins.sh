# What a function declares for everybody, and functions that are asked for.
source lib/log.sh

PLUGIN_DIR=/usr/lib/shop
declare -a PLUGINS

plugin_load() {
  declare -g PLUGIN_DIR=${1:-$PLUGIN_DIR} # «PLUGIN_DIR»
  local file
  for file in "$PLUGIN_DIR"/*.sh; do # «PLUGIN_DIR»
    source "$file"
    PLUGINS+=("$file") # «PLUGINS»
  done
}

plugin_run() {
  if declare -F plugin_main > /dev/null; then # «plugin_main»
    plugin_main "${PLUGINS[@]}" # «plugin_main PLUGINS»
  elif type -t plugin_load > /dev/null; then # «plugin_load»
    plugin_load # «plugin_load»
  fi
  eval 'plugin_end "$PLUGIN_DIR"' # «plugin_end PLUGIN_DIR»
}

plugin_main() { log "$#"; } # «log»
plugin_end() { log "end of $1"; } # «log»
