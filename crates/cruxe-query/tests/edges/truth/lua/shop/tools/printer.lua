local text = require("shop.tools.text")
local shout, format = text.shout, text.format -- «M.shout M.format»

local M = {}

function M.print(product)
  print(shout(product.name), format("x")) -- «M.shout M.format»
  return text.WIDTH -- «M.WIDTH»
end

M.all = function(products)
  for _, one in ipairs(products) do
    M.print(one) -- «M.print»
  end
end

return M
