source lib/stock.sh

till_pay() {
  local total
  total=$(stock_sum) # «stock_sum»
  case "$1" in
    cash) till_cash "$total" ;; # «till_cash»
    card) till_card "$total" ;; # «till_card»
    *) fail_with "no such payment" ;; # «fail_with»
  esac
}

till_cash() { echo "cash $1"; }
till_card() { echo "card $1 $SHOP_NAME"; } # «SHOP_NAME»
