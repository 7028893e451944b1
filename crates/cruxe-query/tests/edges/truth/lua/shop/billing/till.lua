local payment = require("shop.billing.payment")

local Till = {}

Till.take = function(self, amount) -- «Till»
  local made = payment.payment(amount) -- «M.payment»
  self.last = made
  return made:pay() -- «Payment.pay»
end

function Till:again() -- «Till»
  return self:take(1) and self.take(self, 2) -- «Till.take»
end

return Till -- «Till»
