{-# LANGUAGE LambdaCase #-}
module Shop.Reports.Daily where

import Shop.Catalog.Category
import Shop.Reports.Monad
import Shop.Tools.Printer (Printable (printed), loud) -- «Printable -printed loud»

daily :: Printable a => [a] -> Report Int -- «Printable Report»
daily ones = do
  line (loud ones) -- «line loud»
  mapM_ (line . printed) ones -- «line -printed»
  count <- pure (length ones)
  return count

describe :: Category -> String -- «Category»
describe = \case
  Food -> label Food -- «Category.Food Shop.Catalog.Category.label»
  Tools -> maybe "" label (parse "tools") -- «Category.Tools Shop.Catalog.Category.label Category.parse»
