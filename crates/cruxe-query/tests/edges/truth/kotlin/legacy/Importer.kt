package shop.legacy

import shop.billing.Invoice as Fresh // «shop.billing.Invoice»
import shop.billing.Money // «Money»

class Importer {
    fun take(old: Invoice): Fresh { // «shop.legacy.Invoice shop.billing.Invoice»
        old.renumber() // «Invoice.renumber»
        val made = Fresh() // «shop.billing.Invoice»
        made.charge(Money.parse(old.number)).show() // «Invoice.charge Money Money.parse Invoice.number Invoice.show»
        return check(made) // «shop.legacy.check»
    }
    fun whole(): shop.billing.Invoice = shop.billing.Invoice() // «shop.billing.Invoice»
}
