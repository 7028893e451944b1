module Shop.Billing.Payment where

import Shop.Billing.Money

data Payment
  = Card { paid :: Money, number :: String } -- «Money»
  | Cash Money Int -- «Money»
  | None

class Payable a where
  pay :: a -> Bool
  show' :: a -> String
  show' _ = "payment"

instance Payable Payment where -- «Payable Payment»
  pay (Card _ n) = not (null n) -- «Payment.Card»
  pay (Cash _ coins) = coins > 0 -- «Payment.Cash»
  pay None = False -- «Payment.None»

twice :: Payable a => a -> Bool -- «Payable»
twice p = pay p && pay p -- «Payable.pay»
