module Shop.Tools.Printer where

import Shop.Catalog.Product (Product (..)) -- «Product»
import qualified Shop.Tools.Text as T

class Printable a where
  printed :: a -> String

instance Printable Product where -- «Printable Product»
  printed = T.shorten . productName -- «shorten productName»

instance Printable a => Printable [a] where -- «Printable»
  printed = concatMap printed -- «-printed»

loud :: Printable a => a -> String -- «Printable»
loud one = let text = printed one in T.shout text -- «-printed shout»

sized :: Product -> Int -- «Product»
sized Product { productPrice = cents } = cents + T.width -- «Product productPrice width»
