local Creature = require("shop.core.creature")
local Class = require("shop.core.class")

local Hound = setmetatable({}, { __index = Creature })
Hound.__index = Hound -- «Hound»

function Hound.raise(name) -- «Hound»
  local self = Creature.born(name) -- «Creature.born»
  return setmetatable(self, Hound) -- «Hound»
end

function Hound:bark() -- «Hound»
  return Creature.sound(self) .. "woof" -- «Creature.sound»
end

local Puppy = Class.extend(Hound, "Puppy") -- «Class.extend Hound»

function Puppy:play_with(other) -- «Puppy»
  return self:bark(), other:bark() -- «Hound.bark»
end

return { Hound = Hound, Puppy = Puppy } -- «Hound Puppy»
