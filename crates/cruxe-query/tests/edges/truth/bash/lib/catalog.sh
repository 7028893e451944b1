. "${BASH_SOURCE%/*}/config.sh"
source "$(dirname "${BASH_SOURCE[0]}")/text.sh"

price_of() {
  local name=$1
  echo "${PRICES[$name]}" # «PRICES»
}

catalog_list() {
  for name in "${!PRICES[@]}"; do # «PRICES»
    text_shout "$name: $(price_of "$name")" # «text_shout price_of»
  done
}
