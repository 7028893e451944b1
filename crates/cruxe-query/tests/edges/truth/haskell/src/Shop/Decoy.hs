module Shop.Decoy where

-- Everything here has a name that something else has as well, and nobody uses it.
label :: Int -- «!Decoy.label»
label = 1

parse :: Int -- «!Decoy.parse»
parse = 2

pay :: Int -- «!Decoy.pay»
pay = 3

data Decoy = Cash | None -- «!Decoy.Cash»
