module Shop.Core.Types
  ( Outcome (..) -- «Outcome»
  , Handler, Name -- «Handler Name»
  , module Shop.Core.Names
  ) where

import Shop.Core.Names

data Outcome a = Good a | Bad Name -- «Name»

type Handler = Name -> Outcome Name -- «Name Outcome»
