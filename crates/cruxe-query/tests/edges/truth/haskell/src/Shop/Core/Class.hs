{-# LANGUAGE MultiParamTypeClasses, FunctionalDependencies, DefaultSignatures #-}
module Shop.Core.Class where

import Shop.Core.Types (Name, Outcome (Bad, Good)) -- «Name Outcome Bad Good»

class Monoid s => Store s k | s -> k where
  fetch :: k -> s -> Outcome k -- «Outcome»
  store :: k -> s -> s
  store _ s = s
  {-# MINIMAL fetch #-}

instance Store [Name] Name where -- «Store Name»
  fetch k ks = if k `elem` ks then Good k else Bad k -- «Good Bad»
  store = (:)

fetchAll :: Store s k => [k] -> s -> [Outcome k] -- «Store Outcome»
fetchAll ks s = [fetch k s | k <- ks] -- «Store.fetch»
