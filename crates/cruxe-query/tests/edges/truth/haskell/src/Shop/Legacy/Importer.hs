module Shop.Legacy.Importer (importAll) where -- «importAll»

import Shop.Billing.Invoice
import qualified Shop.Legacy.Invoice
import Shop.Catalog.Product as Prod hiding (rename)

importAll :: [Prod.Product] -> Invoice -- «Product Shop.Billing.Invoice.Invoice»
importAll = foldl charge start -- «charge Shop.Billing.Invoice.start»

renamed :: String
renamed = Shop.Legacy.Invoice.renumber ++ Prod.labelOf (free "x") -- «renumber labelOf free»

rename :: String
rename = renamed -- «renamed»
