{-# LANGUAGE BangPatterns, DeriveFunctor, DeriveFoldable #-}
module Shop.Data.Tree where

import Data.Foldable (foldl')

data Tree a = Leaf | Node !(Tree a) a !(Tree a) -- «Tree»
  deriving (Functor, Foldable)

insert :: Ord a => a -> Tree a -> Tree a -- «Tree»
insert x Leaf = Node Leaf x Leaf -- «Leaf Node»
insert x tree@(Node l y r) -- «Node»
  | x < y = Node (insert x l) y r -- «Node Tree.insert»
  | x > y = Node l y (insert x r) -- «Node Tree.insert»
  | otherwise = tree

fromItems :: Ord a => [a] -> Tree a -- «Tree»
fromItems = foldl' (flip insert) Leaf -- «Tree.insert Leaf»

height :: Tree a -> Int -- «Tree»
height = go 0
  where
    go !n Leaf = n -- «Leaf»
    go !n (Node l _ r) = max (go (n + 1) l) (go (n + 1) r) -- «Node»

-- Two that need each other.
evenDepth, oddDepth :: Tree a -> Bool -- «Tree»
evenDepth Leaf = True -- «Leaf»
evenDepth (Node l _ _) = oddDepth l -- «Node oddDepth»
oddDepth Leaf = False -- «Leaf»
oddDepth (Node _ _ r) = evenDepth r -- «Node evenDepth»

(<+>) :: Ord a => Tree a -> Tree a -> Tree a -- «Tree»
a <+> b = foldr insert a b -- «Tree.insert»
infixl 6 <+> -- «<+>»
