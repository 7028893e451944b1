local tasks = require("shop.async.tasks")
local loader = require("shop.util.loader")
local kennel = require("shop.core.hound")
local fold = require("shop.util.iter").fold_over -- «iter.fold_over»

local function make_tasks()
  return tasks.later(print, 1) -- «tasks.later»
end

describe("tasks", function()
  before_each(make_tasks) -- «make_tasks»

  it("runs later", function()
    assert.is_nil(make_tasks()) -- «make_tasks»
    assert.equal(1, fold({ 1 }, 0, function(a, b) return a + b end)) -- «iter.fold_over»
  end)

  it("loads", function()
    loader.load_all({ "print" }) -- «loader.load_all»
    local hound = kennel.Hound.raise("Rex") -- «Hound Hound.raise»
    hound:bark() -- «Hound.bark»
    hound:greet_all() -- «Creature.greet_all»
  end)
end)
