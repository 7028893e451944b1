#!/usr/bin/env bash
source lib/plugins.sh
source lib/aliases.sh

# A function of this file goes before the one of its name that is sourced.
log() { LOGGED="$1"; } # «!LOGGED»

test_load() {
  plugin_run # «plugin_run»
  alias_use # «alias_use»
}

test_load # «test_load»
