module Report where

import Shop.Reports.Daily (daily, describe) -- «daily Shop.Reports.Daily.describe»
import Shop.Reports.Monad (Report (runReport)) -- «Report runReport»
import Shop.Catalog.Category (Category (..)) -- «Category»
import Shop.Catalog.Product (free) -- «free»
import Shop.Users.Clerk

main :: IO ()
main = do
  print (fst (runReport (daily [free "x"]) 0)) -- «runReport daily free»
  putStrLn (describe Food) -- «Shop.Reports.Daily.describe Category.Food»
  let greet = hello -- «hello»
  pure ()
