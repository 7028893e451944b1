local users = require("shop.users.person")
local Person = users.Person -- «Person»

local Clerk = {}
Clerk.__index = Clerk -- «Clerk»
setmetatable(Clerk, { __index = Person }) -- «Clerk Person»

function Clerk.new() -- «Clerk»
  local self = Person.new("clerk") -- «Person.new Person»
  return setmetatable(self, Clerk) -- «Clerk»
end

function Clerk:serve(till) -- «Clerk»
  self:hello() -- «Person.hello»
  return till:take(1) -- «Till.take»
end

return Clerk -- «Clerk»
