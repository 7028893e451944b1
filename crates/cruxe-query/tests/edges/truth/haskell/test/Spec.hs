module Main where

import qualified Shop.Core.State as State
import Shop.Core.Class (Store (fetch, store), fetchAll) -- «Store Store.fetch Store.store fetchAll»
import Shop.Core.Types (mkName) -- «mkName»

main :: IO ()
main = do
  total' <- State.runAll ["a"] -- «runAll»
  let stored = store (mkName "b") [] -- «Store.store mkName»
  print (length (fetchAll [mkName "b"] stored), total') -- «fetchAll mkName»
  print (State.count (State.step (mkName "c") State.start)) -- «State.count State.step mkName State.start»
