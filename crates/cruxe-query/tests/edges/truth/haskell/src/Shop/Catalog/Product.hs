module Shop.Catalog.Product where

import Shop.Catalog.Category (Category (Food), label) -- «Category Category.Food Shop.Catalog.Category.label»

data Product = Product
  { productName :: String
  , productPrice :: Int
  , category :: Category -- «Category»
  }

free :: String -> Product -- «Product»
free name = Product { productName = name, productPrice = 0, category = Food } -- «Product productName productPrice category Category.Food»

rename :: String -> Product -> Product -- «Product»
rename name product = product { productName = name } -- «productName»

labelOf :: Product -> String -- «Product»
labelOf = label . category -- «Shop.Catalog.Category.label category»
