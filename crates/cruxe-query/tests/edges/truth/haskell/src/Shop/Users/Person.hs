module Shop.Users.Person where

data Address = Address { street, city :: String }

data Person = Person
  { personName :: String
  , home :: Address -- «Address»
  }

streetOf :: Person -> String -- «Person»
streetOf = street . home -- «street home»

nobody :: Person -- «Person»
nobody = Person { personName = "nobody", home = Address "a" "b" } -- «Person personName home Address»
