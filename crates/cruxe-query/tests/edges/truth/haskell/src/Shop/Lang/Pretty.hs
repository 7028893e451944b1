module Shop.Lang.Pretty
  ( Pretty (..) -- «Pretty»
  , render -- «Pretty.render»
  , module Shop.Lang.Eval
  ) where

import Shop.Lang.Eval

class Pretty a where
  pretty :: a -> String
  pretty _ = unknown -- «unknown»
  prettyList :: [a] -> String
  prettyList = concatMap pretty -- «Pretty.pretty»

instance Pretty Evaluated where -- «Pretty Evaluated»
  pretty (Done n) = show n -- «Done»
  pretty (Stuck why) = "stuck: " ++ why -- «Stuck»

instance Pretty a => Pretty (Maybe a) where -- «Pretty»
  pretty = maybe unknown pretty -- «unknown -Pretty.pretty»

unknown :: String
unknown = "?"

render :: Pretty a => [a] -> String -- «Pretty»
render things = prettyList things ++ end -- «Pretty.prettyList»
  where end = "."
