local Creature = {}
Creature.__index = Creature -- «Creature»

function Creature.born(name) -- «Creature»
  return setmetatable({ name = name }, Creature) -- «Creature»
end

function Creature:greet_all() -- «Creature»
  return self:sound() .. self:legs_text() -- «Creature.sound Creature.legs_text»
end

function Creature:sound() return "" end -- «Creature»
function Creature:legs_text() return tostring(Creature.LEGS) end -- «Creature Creature.LEGS»

Creature.LEGS = 4 -- «Creature»

return Creature -- «Creature»
