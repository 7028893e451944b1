-- A small library for classes.
local Class = {}
Class.__index = Class -- «Class»

function Class.extend(base, name) -- «Class»
  local made = {}
  made.__index = made
  made.class_name = name
  return setmetatable(made, { __index = base, __call = Class.instantiate }) -- «Class Class.instantiate»
end

function Class.instantiate(class, ...) -- «Class»
  local instance = setmetatable({}, class)
  if instance.init then
    instance:init(...)
  end
  return instance
end

return Class -- «Class»
