# Nobody sources this file, and the name of its function is another's.
price_text() {
  text_upper 0 # «text_upper»
}

decoy() {
  price_text # «price_text»
}
