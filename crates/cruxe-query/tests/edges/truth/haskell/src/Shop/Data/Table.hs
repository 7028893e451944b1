{-# LANGUAGE TypeFamilies, ScopedTypeVariables #-}
module Shop.Data.Table where

import qualified Data.Map as Map
import Shop.Data.Tree (Tree, fromItems, (<+>)) -- «Tree fromItems <+>»

class Indexed c where
  type Key c
  lookupIn :: Key c -> c -> Maybe (Value c) -- «Key Value»
  type Value c

newtype Table v = Table { rows :: Map.Map String v }

instance Indexed (Table v) where -- «Indexed Table»
  type Key (Table v) = String -- «Key Table»
  type Value (Table v) = v -- «Value Table»
  lookupIn key table = Map.lookup key (rows table) -- «rows»

keysOf :: forall v. Table v -> Tree String -- «Table Tree»
keysOf table = fromItems names <+> fromItems extra -- «fromItems <+>»
  where
    names = Map.keys (rows table) -- «rows»
    extra = [] :: [String]

found :: Table v -> String -> Bool -- «Table»
found table key = case lookupIn key table of -- «Indexed.lookupIn»
  Just _ -> True
  Nothing -> False

emptyTable :: Table v -- «Table»
emptyTable = Table { rows = Map.empty } -- «Table rows»
