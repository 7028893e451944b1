module Shop.Line where

data Line = Line { lineName :: String, price :: Int }

limit :: Int
limit = 10

showLine :: Line -> String -- «Line»
showLine line = lineName line -- «lineName»
