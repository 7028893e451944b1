{-# LANGUAGE GADTs, KindSignatures, StandaloneDeriving #-}
module Shop.Lang.Syntax where

data Term a where
  Lit :: Int -> Term Int -- «Term»
  Flag :: Bool -> Term Bool -- «Term»
  Add :: Term Int -> Term Int -> Term Int -- «Term»
  Choose :: Term Bool -> Term a -> Term a -> Term a -- «Term»

data Operator = Plus | Minus
  deriving (Eq, Show, Enum, Bounded)

deriving instance Ord Operator -- «Operator»

type Env = [(String, Int)]

size :: Term a -> Int -- «Term»
size (Lit _) = 1 -- «Lit»
size (Flag _) = 1 -- «Flag»
size (Add a b) = size a + size b -- «Add Syntax.size»
size (Choose c a b) = sum [size c, size a, size b] -- «Choose Syntax.size»
