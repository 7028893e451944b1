source lib/retry.sh

setup() { RETRIES=1; } # «RETRIES !setup»

check() {
  retry false # «retry»
  ! retry_name a/b || true # «retry_name»
}

check && unset RETRIES # «check RETRIES»
