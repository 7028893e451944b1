module Shop.Order (Order (..), total, describe, module Shop.Line) where -- «Order total describe»

import qualified Data.Map as Map
import Shop.Line

data State = Open | Closed deriving (Eq)

data Order = Order
  { orderLines :: [Line] -- «Line»
  , orderState :: State -- «State»
  }

class Priced a where
  cost :: a -> Int

instance Priced Order where -- «Priced Order»
  cost = total -- «total»

total :: Order -> Int -- «Order»
total order = sum (map price (orderLines order)) + limit -- «price orderLines limit»

describe :: Order -> String -- «Order»
describe order
  | orderState order == Open = show (total order) -- «orderState Open total»
  | otherwise = showLine (head (orderLines order)) -- «showLine orderLines»
