local Person = {}
Person.__index = Person -- «Person»

local names = {}

local function register(name)
  table.insert(names, name) -- «names»
end

function Person.new(name) -- «Person»
  register(name) -- «register»
  return setmetatable({ nick = name }, Person) -- «Person»
end

function Person:hello() -- «Person»
  return "I am " .. self.nick
end

return { Person = Person, count = function() return #names end } -- «Person names»
