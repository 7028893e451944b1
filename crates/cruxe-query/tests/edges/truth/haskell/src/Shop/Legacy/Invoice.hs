module Shop.Legacy.Invoice where

data Invoice = Invoice { invoiceNumber :: String } -- «!Shop.Legacy.Invoice.Invoice»

renumber :: String
renumber = "1"

start :: Int -- «!Shop.Legacy.Invoice.start»
start = 0
