local door = require("shop.events.door")
local Clerk = require("shop.users.clerk")
local Till = require("shop.billing.till")
local tools = require("shop.tools")
local settings = require("shop.settings")

door.open_door() -- «M.open_door»
local clerk = Clerk.new() -- «Clerk.new»
clerk:serve(Till) -- «Clerk.serve»
tools.setup({}) -- «tools.setup»
tools.printer.all({}) -- «M.all»
print(settings.limit, helper(VERSION)) -- «settings.limit helper VERSION»
settings.render("y") -- «settings.render»
require("shop.stock.warehouse").open() -- «M.open»
