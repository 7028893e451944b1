package shop.billing

import shop.catalog.Product // «Product»

class Invoice {
    var amount: Money = Money.ZERO // «Money Money.ZERO»
        private set
    fun charge(money: Money): Invoice { // «Money shop.billing.Invoice»
        amount = amount + money // «shop.billing.Invoice.amount»
        return this
    }
    fun charge(product: Product): Invoice = charge(Money(product.price, "EUR")) // «Product shop.billing.Invoice Invoice.charge Money Product.price»
    fun show(): String = amount.currency // «shop.billing.Invoice.amount Money.currency»
}
