{-# LANGUAGE GADTs, LambdaCase, MultiWayIf, TupleSections #-}
module Shop.Lang.Eval (eval, evalAll, Evaluated (..)) where -- «eval evalAll Evaluated»

import Shop.Lang.Syntax (Env, Operator (..), Term (..)) -- «Env Operator Term»
import qualified Shop.Lang.Syntax as Syntax (size) -- «Syntax.size»

data Evaluated = Done Int | Stuck String

eval :: Term a -> a -- «Term»
eval = \case
  Lit n -> n -- «Lit»
  Flag b -> b -- «Flag»
  Add a b -> eval a + eval b -- «Add eval»
  Choose c a b -- «Choose»
    | eval c -> eval a -- «eval»
    | otherwise -> eval b -- «eval»

evalAll :: Env -> [Term Int] -> [(Int, Evaluated)] -- «Env Term Evaluated»
evalAll env terms = map (weigh,) results
  where
    results = [if | bounded t -> Done (eval t) | otherwise -> stuck | t <- terms] -- «bounded Done eval»
    stuck = Stuck "too large" -- «Stuck»
    weigh = length env

bounded :: Term a -> Bool -- «Term»
bounded term = Syntax.size term < maxSize -- «Syntax.size maxSize»

maxSize :: Int
maxSize = 100

apply :: Operator -> Int -> Int -> Int -- «Operator»
apply Plus = (+) -- «Plus»
apply Minus = subtract -- «Minus»
