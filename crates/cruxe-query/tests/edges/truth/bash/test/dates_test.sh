source lib/dates.sh

set_now() { NOW=$(date_now); } # «date_now»

test_later() {
  set_now # «set_now»
  [ "$(date_later)" -gt "$NOW" ] # «date_later -NOW»
}

test_later # «test_later»
