local lexer = require("shop.text.lexer")
local words, signs = lexer.words, lexer.signs -- «lexer.words lexer.signs»

local parser = {}

local parse_one, parse_all

function parse_one(text)
  return words(text):peek() -- «lexer.words Stack.peek»
end

function parse_all(texts)
  local all = {}
  for at, text in ipairs(texts) do
    all[at] = parse_one(text) -- «parse_one»
  end
  return all, signs("x") -- «lexer.signs»
end

parser.parse = function(...)
  return parse_all({ ... }) -- «parse_all»
end

function parser:again(text)
  return self.parse(text) -- «parser.parse»
end

return parser
