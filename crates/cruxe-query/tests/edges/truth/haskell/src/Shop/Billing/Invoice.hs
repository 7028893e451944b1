module Shop.Billing.Invoice where

import Shop.Billing.Money (Money, zero, (|+|)) -- «Money zero |+|»
import Shop.Catalog.Product (Product, productPrice) -- «Product productPrice»
import qualified Shop.Billing.Money as Money (Money (..), euro) -- «Money euro»

newtype Invoice = Invoice Money -- «Money»

start :: Invoice -- «Invoice»
start = Invoice zero -- «Invoice zero»

charge :: Invoice -> Product -> Invoice -- «Invoice Product»
charge (Invoice m) p = Invoice (m |+| Money.Money (productPrice p) Money.euro) -- «Invoice |+| Money productPrice euro»
