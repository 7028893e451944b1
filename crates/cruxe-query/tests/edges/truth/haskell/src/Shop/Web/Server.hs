module Shop.Web.Server where

import Prelude hiding (lookup)
import Shop.Core.Types
import Shop.Web.Route hiding (handle)
import qualified Shop.Web.Route (handle) -- «Route.handle»

data Server = Server { routes :: [Route], fallback' :: Maybe Route } -- «Route»

lookup :: Name -> Server -> Maybe Route -- «Name Server Route»
lookup name server =
  case filter ((== name) . path) (routes server) of -- «Route.path routes»
    found : _ -> Just found
    [] -> fallback' server -- «fallback'»

serve :: Server -> String -> Outcome Name -- «Server Outcome Name»
serve server text = maybe (Bad name) Shop.Web.Route.handle (lookup name server) -- «Bad Route.handle Server.lookup»
  where
    name = mkName text -- «mkName»
