{-# LANGUAGE KindSignatures #-}
module Shop.Stock.Entity where

class Show a => Entity a where
  ident :: a -> Int
  touch :: a -> a
  touch = id

data Item = Item { itemId :: Int, left :: Int } deriving Show

instance Entity Item where -- «Entity Item»
  ident = itemId -- «itemId»
  touch item = item { left = left item + 1 } -- «left»

touchTwice :: Entity e => e -> e -- «Entity»
touchTwice = touch . touch -- «Entity.touch»
