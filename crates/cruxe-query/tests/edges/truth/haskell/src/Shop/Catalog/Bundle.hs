module Shop.Catalog.Bundle (Bundle, bundle, sumOf) where -- «Bundle bundle Bundle.sumOf»

import Shop.Catalog.Product

newtype Bundle = Bundle { parts :: [Product] } -- «Product»

bundle :: [Product] -> Bundle -- «Product Bundle»
bundle = Bundle -- «Bundle»

sumOf :: Bundle -> Int -- «Bundle»
sumOf (Bundle ps) = sum [productPrice p | p <- ps] + extra -- «Bundle productPrice»
  where
    extra = length names
    names = map productName (parts (Bundle ps)) -- «productName parts Bundle»
