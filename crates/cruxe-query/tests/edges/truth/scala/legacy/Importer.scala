package shop.legacy

import shop.billing.{Invoice => Fresh, Money} // «shop.billing.Invoice Money»
import Rules._ // «Rules»

class Importer {
  def take(old: Invoice): Fresh = { // «shop.legacy.Invoice shop.billing.Invoice»
    old.renumber() // «Invoice.renumber»
    val made = new Fresh // «shop.billing.Invoice»
    made.charge(Money.parse(old.number)).show // «Invoice.charge Money Money.parse Invoice.number Invoice.show»
    check(made) // «Rules.check»
  }
  def whole: shop.billing.Invoice = new shop.billing.Invoice // «shop.billing.Invoice»
}
