module Shop.Billing.Till where

import qualified Shop.Billing.Payment as P
import Shop.Billing.Payment (Payment (..)) -- «Payment»

newtype Till = Till { lastPayment :: Maybe Payment } -- «Payment»

take' :: Till -> Payment -> (Till, Bool) -- «Till Payment»
take' till payment = case payment of
  Card {} -> (till { lastPayment = Just payment }, P.pay payment) -- «Payment.Card lastPayment Payable.pay»
  Cash _ n | n > 1 -> (Till Nothing, P.twice payment) -- «Payment.Cash Till twice»
  _ -> (till, False)

again :: Till -> Bool -- «Till»
again = maybe False P.pay . lastPayment -- «Payable.pay lastPayment»
