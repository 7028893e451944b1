local M = {}

function M.price(line)
  return M.round(line.price) -- «M.round +price»
end

M.round = function(x)
  return x
end

return M
