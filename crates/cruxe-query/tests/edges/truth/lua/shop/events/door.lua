local Bell = require("shop.events.bell")
local M = {}

local bell = Bell.new() -- «Bell.new»

function M.heard(who)
  return who
end

function M.open_door()
  bell:listen(M):ring_for("door") -- «bell Bell.listen Bell.ring_for»
  bell:listen({ heard = M.heard }) -- «bell Bell.listen M.heard»
  pcall(M.heard, "x") -- «M.heard»
end

return M
