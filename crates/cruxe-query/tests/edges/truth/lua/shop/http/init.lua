-- A folder is a module, and hands on what its files have.
local http = {}

http.client = require("shop.http.client")
http.codes = require "shop.http.codes"
http.get = http.client.get -- «client.get»

return http
