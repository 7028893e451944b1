local Bell = {}

function Bell.new() -- «Bell»
  return setmetatable({ listeners = {} }, { __index = Bell }) -- «Bell»
end

function Bell:listen(listener) -- «Bell»
  table.insert(self.listeners, listener)
  return self
end

function Bell:ring_for(who) -- «Bell»
  for _, listener in ipairs(self.listeners) do
    listener.heard(who) -- «M.heard»
  end
end

return Bell -- «Bell»
