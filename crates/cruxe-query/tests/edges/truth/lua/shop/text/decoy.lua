-- Names of others, hidden by locals and parameters.
local decoy = {}

function decoy.words(words, peek) -- «!decoy.words»
  local parse_one = words
  local function helper2(push)
    return push(peek)
  end
  return parse_one(helper2) -- «helper2»
end

return decoy
