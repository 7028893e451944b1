# Documents in the middle of code.
HERE_NAME=shop
HERE_PORT=80

here_title() { echo "the $HERE_NAME"; } # «HERE_NAME»

here_config() {
  cat <<END
name = $HERE_NAME «HERE_NAME»
port = ${HERE_PORT} «HERE_PORT»
title = $(here_title) «here_title»
END
}

here_raw() {
  cat <<'END'
name = $HERE_NAME
title = $(here_title)
END
}

here_tabs() {
	cat <<-END > "$HERE_NAME.conf" # «HERE_NAME»
	$(here_config) «here_config»
	END
  grep -q "$HERE_PORT" <<< "$(here_raw)" # «HERE_PORT here_raw»
}
