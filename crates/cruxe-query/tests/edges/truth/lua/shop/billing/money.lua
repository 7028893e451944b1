local Money = {}
Money.__index = Money -- «Money»
Money.EURO = "EUR" -- «Money»

local function make(amount)
  return setmetatable({ amount = amount }, Money) -- «Money»
end

function Money.zero() -- «Money»
  return make(0) -- «make»
end

function Money:plus(other) -- «Money»
  return make(self.amount + other.amount) -- «make»
end

Money.__add = Money.plus -- «Money Money.plus»

return Money -- «Money»
