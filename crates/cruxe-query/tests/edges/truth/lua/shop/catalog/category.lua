local Category = {}

Category.FOOD = "food" -- «Category»
Category.TOOLS = "tools" -- «Category»

function Category.of(text) -- «Category»
  if text == Category.FOOD then -- «Category Category.FOOD»
    return Category.FOOD -- «Category Category.FOOD»
  end
  return Category.TOOLS -- «Category Category.TOOLS»
end

return Category -- «Category»
