local Repository = require("shop.stock.repository")

local M = { count = 0 }

local repository = Repository.new() -- «Repository.new»

function M.open()
  M.count = M.count + 1
  repository:fill() -- «repository Repository.fill»
  return require("shop.stock.item").new(nil) -- «Item.new»
end

local function close()
  repository = nil -- «repository»
end

M.close = close -- «close»
return M
