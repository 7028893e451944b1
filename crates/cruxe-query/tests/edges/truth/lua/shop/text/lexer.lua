local Stack = require("shop.text.stack")

local lexer = {}
local WORDS, SIGNS = "%a+", "%p" -- two at once

local function is_word(text)
  return text:match(WORDS) ~= nil -- «WORDS»
end

function lexer.words(text)
  local found = Stack.of() -- «Stack.of»
  for word in text:gmatch(WORDS) do -- «WORDS»
    found:push(word) -- «Stack.push»
  end
  repeat
    local last = found:pop() -- «Stack.pop»
  until not last or is_word(last) -- «is_word»
  return found
end

lexer.signs = function(text)
  return text:find(SIGNS) -- «SIGNS»
end

return lexer
