local line = require("shop.line")
local Order = {}
Order.__index = Order -- «Order»

local LIMIT = 10

local function sum(lines)
  return #lines + LIMIT -- «LIMIT»
end

function Order.new(lines) -- «Order»
  return setmetatable({ lines = lines }, Order) -- «Order»
end

function Order:total() -- «Order»
  return sum(self.lines) + line.price(self) -- «shop.order.sum price»
end

function Order:describe() -- «Order»
  return tostring(self:total()) -- «Order.total»
end

return Order -- «Order»
