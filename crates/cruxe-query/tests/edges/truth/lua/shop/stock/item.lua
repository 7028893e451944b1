local Item = {}
Item.__index = Item -- «Item»

---@param product table
function Item.new(product) -- «Item»
  return setmetatable({ product = product, left = 0 }, Item) -- «Item»
end

function Item:touch() -- «Item»
  self.left = self.left + 1
  return self
end

function Item:name() -- «Item»
  return self.product.name
end

return Item -- «Item»
