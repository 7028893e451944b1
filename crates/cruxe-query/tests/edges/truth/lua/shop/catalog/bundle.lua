local Product = require "shop.catalog.product"

local Bundle = setmetatable({}, { __index = Product }) -- «-Product»
Bundle.__index = Bundle -- «Bundle»

function Bundle.new(name, parts) -- «Bundle»
  local made = Product.new(name) -- «Product.new»
  made.parts = parts
  return setmetatable(made, Bundle) -- «Bundle»
end

function Bundle:total() -- «Bundle»
  local sum = Product.sum(self) -- «Product.sum»
  for _, part in ipairs(self.parts) do
    sum = sum + part:sum() -- «Product.sum»
  end
  return sum
end

return Bundle -- «Bundle»
