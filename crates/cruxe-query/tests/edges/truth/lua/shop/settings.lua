VERSION = "1.0"

function helper(text)
  return text .. VERSION -- «VERSION»
end

local settings = {
  limit = 3,
  nested = { deep = true },
  render = function(text)
    return helper(text) -- «helper»
  end,
}

print(settings.limit, settings.nested.deep) -- «settings settings.limit settings.nested nested.deep»
settings.render("x") -- «settings settings.render»

return settings -- «settings»
