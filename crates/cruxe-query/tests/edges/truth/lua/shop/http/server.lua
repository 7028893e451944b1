local http = require("shop.http")
local get = http.get -- «http.get»
local routes = {}

local function route(path, handler)
  routes[path] = handler -- «routes»
end

local function home()
  return get("/"), http.client.post("/", "x") -- «http.get client.post»
end

local function missing(path)
  local found = routes[path] or home -- «routes home»
  return found and http.codes.FAILED -- «codes.FAILED»
end

route("/", home) -- «route home»
route("/none", missing) -- «route missing»
return { route = route, routes = routes } -- «route routes»
