local codes = require('shop.http.codes')

local client = { retries = 3 }

local function send(path)
  return codes.OK, path -- «codes.OK»
end

function client.get(path)
  for _ = 1, client.retries do -- «client.retries»
    local code = send(path) -- «send»
    if codes.is_ok(code) then -- «codes.is_ok»
      return code
    end
  end
  return codes.FAILED -- «codes.FAILED»
end

function client.post(path, body)
  assert(body)
  return send(path), client.get(path) -- «send client.get»
end

return client
