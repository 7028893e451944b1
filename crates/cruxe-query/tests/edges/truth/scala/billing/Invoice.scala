package shop.billing

import shop.catalog.Product // «Product»

class Invoice {
  private var amount: Money = Money.Zero // «Money Money.Zero»
  def charge(money: Money): Invoice = { // «Money shop.billing.Invoice»
    amount = amount + money // «Invoice.amount»
    this
  }
  def charge(product: Product): Invoice = charge(Money(product.price, "EUR")) // «Product shop.billing.Invoice Invoice.charge Money Product.price»
  def show: String = amount.currency // «Invoice.amount Money.currency»
}
