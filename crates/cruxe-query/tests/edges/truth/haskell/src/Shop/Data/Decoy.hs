module Shop.Data.Decoy where

-- Names of others, as locals and as definitions that nobody uses.
height :: Int -- «!Data.Decoy.height»
height = let insert = 1; rows = insert + 1 in rows

found :: Int -> Int -- «!Data.Decoy.found»
found pretty = pretty

data Other = Lit' | Stuck' -- «!Other»
