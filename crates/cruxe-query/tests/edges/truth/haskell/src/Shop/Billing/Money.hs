module Shop.Billing.Money
  ( Money (Money, amount), Currency, zero, (|+|), euro -- «Money amount Currency zero |+| euro»
  ) where

type Currency = String

data Money = Money { amount :: Int, currency :: Currency } -- «Currency»

euro :: Currency -- «Currency»
euro = "EUR"

zero :: Money -- «Money»
zero = Money 0 euro -- «Money euro»

infixl 6 |+| -- «|+|»

(|+|) :: Money -> Money -> Money -- «Money»
a |+| b = a { amount = amount a + amount b } -- «amount»
