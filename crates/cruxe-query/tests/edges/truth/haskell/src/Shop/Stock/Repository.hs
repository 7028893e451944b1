module Shop.Stock.Repository
  ( Repository, empty, save, find, module Shop.Stock.Entity -- «Repository Repository.empty save Repository.find»
  ) where

import qualified Data.Map.Strict as Map
import Shop.Stock.Entity

newtype Repository a = Repository (Map.Map Int a)

empty :: Repository a -- «Repository»
empty = Repository Map.empty -- «Repository»

save :: Entity a => a -> Repository a -> Repository a -- «Entity Repository»
save one (Repository all') = Repository (Map.insert (ident one) (touch one) all') -- «Repository Entity.ident Entity.touch»

find :: Int -> Repository a -> Maybe a -- «Repository»
find key (Repository all') = Map.lookup key all' -- «Repository»
