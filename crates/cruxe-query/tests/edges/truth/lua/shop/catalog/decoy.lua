-- Everything here has a name that something else has as well, and nobody uses it.
local Decoy = {}

function Decoy.total() end -- «Decoy !Decoy.total»
function Decoy.pay() end -- «Decoy !Decoy.pay»
function Decoy.format() end -- «Decoy !Decoy.format»
Decoy.WIDTH = 1 -- «Decoy !Decoy.WIDTH»

return Decoy -- «Decoy»
