local money = require("shop.billing.money")

local M = {}
local Payment = {}
Payment.__index = Payment -- «Payment»

function M.payment(amount)
  return setmetatable({ amount = amount or money.zero() }, Payment) -- «Money.zero Payment»
end

function Payment:pay() -- «Payment»
  return self:checked() and self.amount ~= nil -- «Payment.checked»
end

function Payment:checked() -- «Payment»
  return money.EURO ~= nil -- «Money.EURO»
end

M.Payment = Payment -- «Payment»
return M
