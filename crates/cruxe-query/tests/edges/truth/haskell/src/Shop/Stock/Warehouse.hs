module Shop.Stock.Warehouse where

import Shop.Stock.Repository

fill :: Repository Item -- «Repository Item»
fill = save (Item 1 0) empty -- «save Item Repository.empty»

leftOf :: Int -> Int
leftOf key = maybe 0 left (find key fill) -- «left Repository.find fill»

twiceTouched :: Item -- «Item»
twiceTouched = touchTwice Item { itemId = 2, left = 0 } -- «touchTwice Item itemId left»
