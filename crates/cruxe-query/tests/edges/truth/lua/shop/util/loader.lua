-- Modules that may be missing, names of everybody, jumps.
local found, iter = pcall(require, "shop.util.iter")
local LIMIT_OF_LOADS <const> = 3
local fallback = require("shop.util.iter")

loads, failures = 0, {}

local function count_load(name)
  loads = loads + 1 -- «loads»
  if loads > LIMIT_OF_LOADS then -- «loads LIMIT_OF_LOADS»
    failures[#failures + 1] = name -- «failures»
  end
  return _G[name]
end

local loader = {
  count = count_load, -- «count_load»
  ["by name"] = count_load, -- «count_load»
}

function loader.load_all(names)
  local at = 1
  ::again::
  if names[at] then
    loader.count(names[at]) -- «loader.count»
    at = at + 1
    goto again
  end
  if not found then
    return fallback.map_over(names, count_load) -- «iter.map_over count_load»
  end
  return fallback.fold_over(names, 0, function(sum) return sum + loads end) -- «iter.fold_over loads»
end

return loader
