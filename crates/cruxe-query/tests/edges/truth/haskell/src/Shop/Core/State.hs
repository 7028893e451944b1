{-# LANGUAGE PatternSynonyms, ViewPatterns #-}
module Shop.Core.State where

import Control.Monad (forM_, when)
import Data.IORef
import Shop.Core.Names (Name (..), mkName) -- «Name mkName»

data Counter = Counter { count :: !Int, names :: [Name] } -- «Name»

start :: Counter -- «Counter»
start = Counter { count = 0, names = [] } -- «Counter State.count State.names»

step :: Name -> Counter -> Counter -- «Name Counter»
step one counter@Counter { count = n } = counter { count = n + 1, names = one : names counter } -- «Counter State.count State.names»

runAll :: [String] -> IO Int
runAll texts = do
  ref <- newIORef start -- «State.start»
  forM_ texts $ \text -> modifyIORef ref (step (mkName text)) -- «State.step mkName»
  final <- readIORef ref
  when (count final > limit) $ print (map unName (names final)) -- «State.count unName State.names»
  return (count final) -- «State.count»
  where
    limit = base * 2 -- «base»

base, other :: Int
base = 3
other = base -- «base»

limit :: Int -- «!Core.State.limit»
limit = 1
