package shop.tools

import shop.billing.Money // «Money»
import shop.catalog.Product // «Product»

object Text {
  implicit class ProductText(product: Product) { // «Product»
    def text: String = product.name // «Product.name»
    def money: Money = Money(product.price, "EUR") // «Money Product.price»
  }
  implicit class MoneyText(val money: Money) extends AnyVal { // «Money»
    def text: String = money.currency // «MoneyText.money Money.currency»
  }
  implicit class Shout(text: String) {
    def shout: String = text.toUpperCase
  }
}
