module Shop.Tools.Text where

width :: Int
width = 80

shorten :: String -> String
shorten = take width -- «width»

shout :: String -> String
shout text = go text
  where
    go [] = []
    go (c : rest) = c : go rest
