module Shop.Core.Names where

newtype Name = Name { unName :: String } deriving (Eq, Ord)

mkName :: String -> Name -- «Name»
mkName = Name . trim' -- «Name trim'»

trim' :: String -> String
trim' = filter (/= ' ')

(|++|) :: Name -> Name -> Name -- «Name»
Name a |++| Name b = Name (a ++ b) -- «Name»
infixr 5 |++| -- «|++|»
