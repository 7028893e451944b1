package shop.stock

import shop.catalog._

class Item(val product: Product) extends Entity { // «Product Entity»
  var left = 0
  override def touch(): Unit = { super.touch(); left += 1 } // «Entity.touch Item.left»
  def name: String = product.name // «Item.product Product.name»
  def tax: Int = product.category.tax // «Item.product Product.category Category.tax»
}
