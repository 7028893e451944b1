#!/bin/sh
# Plain sh: no arrays, no [[ ]].
. ./lib/numbers.sh

count_files() {
  n=$(ls "$1" | wc -l)
  [ "$n" -gt "$LIMIT" ] && return 1 # «LIMIT»
  number_next "$n" # «number_next»
}

for dir in lib jobs; do
  count_files "$dir" || echo "too many in $dir" # «count_files»
done
number_show # «number_show»
