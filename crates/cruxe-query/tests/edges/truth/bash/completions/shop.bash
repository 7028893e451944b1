# Completion: functions are named to the shell, not called.
_shop_words() {
  COMPREPLY=($(compgen -W "$SHOP_WORDS" -- "$2")) # «SHOP_WORDS»
}

SHOP_WORDS="add pay report"

_shop_files() { COMPREPLY=($(compgen -f -- "$2")); }

complete -F _shop_words shop # «_shop_words»
complete -F _shop_files -o default shop-files # «_shop_files»
