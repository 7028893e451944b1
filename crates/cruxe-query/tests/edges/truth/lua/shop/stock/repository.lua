local Item = require("shop.stock.item")

local Repository = {}
Repository.__index = Repository -- «Repository»

function Repository.new() -- «Repository»
  return setmetatable({ all = {} }, Repository) -- «Repository»
end

function Repository:save(item) -- «Repository»
  self.all[#self.all + 1] = item:touch() -- «Item.touch»
  return self
end

function Repository:fill() -- «Repository»
  local item = Item.new(nil) -- «Item.new»
  item:touch() -- «Item.touch»
  self:save(item) -- «Repository.save»
  return item:name() -- «Item.name»
end

return Repository -- «Repository»
