# Names for commands.
source lib/text.sh

alias shout='text_shout' # «text_shout»
alias up="text_upper loud" # «text_upper»

alias_use() {
  shout hello # «shout»
  up # «up»
}
