{-# LANGUAGE GADTs, TypeFamilies #-}
module Shop.Reports.Types where

import Shop.Users.Person (Person) -- «Person»

data Query a where
  ByName :: String -> Query Person -- «Query Person»
  Count :: Query Int -- «Query»

type family Result q
type instance Result (Query a) = a -- «Result Query»

run :: Query a -> Int -- «Query»
run (ByName name) = length name -- «ByName»
run Count = 0 -- «Types.Count»

data Shape = Round { radius :: Double } | Flat
  deriving (Eq, Ord)

area :: Shape -> Double -- «Shape»
area shape@Round {} = radius shape * 2 -- «Round radius»
area Flat = 0 -- «Flat»
