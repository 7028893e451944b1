# Expansions.
STRING_SEP=,
STRING_FILE=/a/b.txt

string_parts() {
  local base=${STRING_FILE##*/} # «STRING_FILE»
  echo "${base%.*}${STRING_SEP}${STRING_FILE%/*}" # «STRING_SEP STRING_FILE»
  echo "${STRING_FILE/a/$STRING_SEP}" "${STRING_FILE:0:${#STRING_SEP}}" # «STRING_FILE STRING_SEP»
  echo "${STRING_NONE:-$STRING_SEP}" "${STRING_NONE:-$(string_sep)}" # «STRING_SEP string_sep»
}

string_sep() {
  local name=STRING_SEP
  echo "${!name}"
  echo \$STRING_SEP '$STRING_SEP'
}
