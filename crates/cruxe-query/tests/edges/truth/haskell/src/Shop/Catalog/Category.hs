module Shop.Catalog.Category
  ( Category (..) -- «Category»
  , label -- «Shop.Catalog.Category.label»
  , parse -- «Category.parse»
  ) where

data Category = Food | Tools
  deriving (Show, Eq)

label :: Category -> String -- «Category»
label Food = "food" -- «Category.Food»
label Tools = "tools" -- «Category.Tools»

parse :: String -> Maybe Category -- «Category»
parse "food" = Just Food -- «Category.Food»
parse _ = fallback -- «fallback»

fallback :: Maybe Category -- «Category»
fallback = Nothing
