local M = {}

M.WIDTH = 80

local cache = {}

M.format = function(text)
  cache[text] = true -- «cache»
  return text:sub(1, M.WIDTH) -- «M.WIDTH»
end

function M.shout(text)
  return M.format(text):upper() -- «M.format»
end

return M
