local parser = require("shop.text.parser")
local server = require("shop.http.server")
local codes = require("shop.http").codes

local commands = {}

function commands.parse(...) -- «commands»
  return parser.parse(...) -- «parser.parse»
end

commands["serve"] = function() -- «commands»
  server.route("/x", commands.parse) -- «route commands commands.parse»
  return codes.is_ok(200) -- «codes.is_ok»
end

local command = commands[arg[1]] or commands.parse -- «commands commands.parse»
local ok, problem = pcall(parser.again, parser, "y") -- «parser.again»
print(ok and command() or problem)
