# Read by an interactive shell.
export EDITOR_OF_SHOP=vi
PATH=$PATH:/opt/shop/bin
PROMPT_COMMAND="prompt_update" # «prompt_update»

prompt_update() {
  PS1="$(prompt_text) $EDITOR_OF_SHOP" # «prompt_text EDITOR_OF_SHOP»
}

function prompt_text { echo shop; }

export -f prompt_text prompt_update # «prompt_text prompt_update»
