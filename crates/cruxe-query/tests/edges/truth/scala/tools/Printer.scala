package shop.tools

import shop.catalog.Product // «Product»
import shop.tools.Text._ // «Text»

class Printer {
  def print(product: Product): String = product.text + product.money.text // «Product ProductText.text ProductText.money MoneyText.text»
  def loud(product: Product): String = product.name.shout // «Product Product.name Shout.shout»
  def names(all: Seq[Product]): Seq[String] = all.map(_.name) // «Product Product.name»
  def fn: Product => String = _.name // «Product -Product.name»
}
