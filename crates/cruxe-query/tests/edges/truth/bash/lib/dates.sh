# Functions in all the ways that they are written.
function date_now() {
  printf '%s' "$(date +%s)"
}

function date_of { echo "$1"; }

date_text ()
{
    echo "on $(date_of "$1")" # «date_of»
}

date_later() (
  echo $(( $(date_now) + 1 )) # «date_now»
)
