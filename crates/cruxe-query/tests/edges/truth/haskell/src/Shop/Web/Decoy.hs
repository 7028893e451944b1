module Shop.Web.Decoy where

-- Names of others that nobody uses here.
route :: Int -- «!Web.Decoy.route»
route = 1

path :: Int -> Int -- «!Web.Decoy.path»
path handler = handler

data Wrong = Good | Bad -- «!Wrong.Good !Wrong.Bad»
