module Shop.Users.Clerk (serve, hello) where -- «serve hello»

import Shop.Billing.Payment (Payment) -- «Payment»
import Shop.Billing.Till (Till, take') -- «Till take'»
import Shop.Users.Person

serve :: Till -> Payment -> Bool -- «Till Payment»
serve till payment = snd (take' till payment) -- «take'»

hello :: Person -> String -- «Person»
hello person
  | null name = streetOf nobody -- «streetOf nobody»
  | otherwise = name `mixed` city (home person) -- «mixed city home»
  where
    name = personName person -- «personName»

mixed :: String -> String -> String
mixed = (++)
