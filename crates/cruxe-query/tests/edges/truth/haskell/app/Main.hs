module Main (main) where

import Shop.Order hiding (describe)
import qualified Shop.Order as O
import qualified Shop.Line as L (showLine) -- «showLine»

main :: IO ()
main = do
  let order = Order [] undefined -- «Order»
  print (total order) -- «total»
  putStrLn (O.describe order) -- «describe»
  putStrLn (L.showLine (Line "a" 1)) -- «showLine Line»
  print (cost order)
