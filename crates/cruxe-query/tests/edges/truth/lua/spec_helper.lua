local helper = {}

helper.Pile = require("shop.text.stack")

---@return table
function helper.full()
  return helper.Pile.of(1, 2) -- «Stack.of»
end

describe("stack", function()
  it("pops", function()
    local stack = helper.full() -- «helper.full»
    assert.equals(2, stack:pop()) -- «Stack.pop»
  end)
end)

return helper
