price_of <- function(item) item$price
total_of <- function(items) {
  sum(sapply(items, price_of)) # «price_of»
}
total_of(list()) # «total_of»
