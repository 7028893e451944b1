local Category = require("shop.catalog.category")

local Product = {}
Product.__index = Product -- «Product»

function Product.new(name, price) -- «Product»
  local self = setmetatable({}, Product) -- «Product»
  self.name = name
  self.cost = price or 0
  self.category = Category.FOOD -- «Category.FOOD»
  return self
end

function Product:sum() -- «Product»
  return self.cost + 1 -- «-Product.cost»
end

function Product:rename(name) -- «Product»
  self.name = name -- «-Product.name»
  return self
end

function Product.free(name) -- «Product»
  return Product.new(name, 0) -- «Product Product.new»
end

return Product -- «Product»
