import Config

config :shop, Shop.Stock.Repository, size: 10 # «Repository»
config :shop, module: Shop.Users.Clerk # «Clerk»
