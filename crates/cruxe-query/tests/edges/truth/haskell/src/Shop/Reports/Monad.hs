module Shop.Reports.Monad where

newtype Report a = Report { runReport :: Int -> (a, Int) }

instance Functor Report where -- «Report»
  fmap f (Report r) = Report (\n -> let (a, m) = r n in (f a, m)) -- «Report»

instance Applicative Report where -- «Report»
  pure a = Report (\n -> (a, n)) -- «Report»
  Report f <*> Report r = Report (\n -> let (g, m) = f n; (a, k) = r m in (g a, k)) -- «Report»

instance Monad Report where -- «Report»
  Report r >>= f = Report (\n -> let (a, m) = r n in runReport (f a) m) -- «Report runReport»

line :: String -> Report () -- «Report»
line _ = Report (\n -> ((), n + 1)) -- «Report»
