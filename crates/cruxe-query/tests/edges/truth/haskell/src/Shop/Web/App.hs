module Shop.Web.App (app) where -- «app»

import Shop.Web.Server as S
import Shop.Core.Types as T (Handler, Outcome (..)) -- «Handler Outcome»
import Shop.Web.Route as R

landing :: T.Handler -- «Handler»
landing name = T.Good name -- «Good»

app :: S.Server -- «Server»
app = S.Server { S.routes = [R.route "/" landing], S.fallback' = Nothing } -- «Server routes route App.landing fallback'»

answer :: String
answer = case S.serve app "/" of -- «Server.serve app»
  Good _ -> "good" -- «Good»
  T.Bad _ -> "bad" -- «Bad»
