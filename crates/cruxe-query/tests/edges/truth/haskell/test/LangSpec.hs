module LangSpec (spec) where -- «LangSpec.spec»

import Shop.Data.Table
import qualified Shop.Data.Tree as Tree
import Shop.Lang.Pretty (Evaluated (Done), evalAll, render) -- «Evaluated Done evalAll Pretty.render»
import Shop.Lang.Syntax

spec :: IO ()
spec = do
  let terms = [Add (Lit 1) (Lit 2), Choose (Flag True) one one] -- «Add Lit Choose Flag»
      one = Lit 1 -- «Lit»
      results = evalAll [] terms -- «evalAll»
  putStrLn (render (map snd results)) -- «Pretty.render»
  print $ Tree.height (keysOf emptyTable) -- «Tree.height keysOf emptyTable»
  print [op | op <- [minBound .. maxBound :: Operator]] -- «Operator»
  check (found emptyTable "x") -- «LangSpec.check Table.found emptyTable»
  where
    _unused = Done 1 -- «Done»

check :: Bool -> IO ()
check ok
  | ok, Tree.evenDepth tree = pure () -- «evenDepth LangSpec.tree»
  | otherwise = error (show (size (Lit 3))) -- «Syntax.size Lit»

tree :: Tree.Tree Int -- «Tree»
tree = Tree.fromItems [1, 2] Tree.<+> Tree.Leaf -- «fromItems <+> Leaf»
