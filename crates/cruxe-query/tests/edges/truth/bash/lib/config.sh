# Settings that the others read.
ROOT=${ROOT:-/tmp} # «ROOT»
export SHOP_NAME="shop"
readonly MAX_ITEMS=10
declare -A PRICES=([apple]=1 [pear]=2)

config_load() {
  local file=$1
  [[ -f "$file" ]] && source "$file"
  echo "$ROOT $SHOP_NAME" # «ROOT SHOP_NAME»
}
