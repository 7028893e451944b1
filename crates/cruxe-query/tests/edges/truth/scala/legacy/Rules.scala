package shop.legacy

object Rules {
  val Rule = 1
  def check(invoice: shop.billing.Invoice): shop.billing.Invoice = { // «shop.billing.Invoice»
    println(invoice.show + Rule) // «Invoice.show Rules.Rule»
    invoice
  }
}
