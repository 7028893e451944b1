local Order = require("shop.order")
local round = require("shop.line").round -- «M.round»

local order = Order.new({}) -- «Order.new»
print(order:describe()) -- «Order.describe»
print(round(order:total())) -- «M.round Order.total»
