local tools = {}

tools.text = require("shop.tools.text")
tools.printer = require("shop.tools.printer")

function tools.setup(options)
  tools.options = options
  return tools.text.format("ready") -- «M.format»
end

return tools
