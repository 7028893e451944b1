-- A class by closures: its functions are fields of what the maker returns.
local Stack = {}
Stack.__index = Stack -- «Stack»

function Stack.of(...) -- «Stack»
  local made = setmetatable({ size = 0 }, Stack) -- «Stack»
  for _, one in ipairs({ ... }) do
    made:push(one) -- «Stack.push»
  end
  return made
end

function Stack:push(one) -- «Stack»
  self.size = self.size + 1
  self[self.size] = one
  return self
end

function Stack:pop() -- «Stack»
  local one = self:peek() -- «Stack.peek»
  self[self.size] = nil
  return one
end

function Stack:peek() -- «Stack»
  return self[self.size]
end

return Stack -- «Stack»
