{-# LANGUAGE RecordWildCards, NamedFieldPuns #-}
module Shop.Web.Route (Route (Route, path, handler), route, handle) where -- «Route Route.path Route.handler route Route.handle»

import qualified Shop.Core.Types as Core
import Shop.Core.Types ((|++|)) -- «|++|»

data Route = Route
  { path :: Core.Name -- «Name»
  , handler :: Core.Handler -- «Handler»
  }

route :: String -> Core.Handler -> Route -- «Handler Route»
route text handler = Route { path = Core.mkName text, handler } -- «Route Route.path mkName Route.handler»

handle :: Route -> Core.Outcome Core.Name -- «Route Outcome Name»
handle Route {..} = handler (path |++| Core.Name "x") -- «Route Route.handler Route.path |++| Name»
