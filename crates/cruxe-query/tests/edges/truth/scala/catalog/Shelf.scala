package shop.catalog

import scala.collection.mutable

class Shelf {
  private val products = mutable.ListBuffer[Product]() // «Product»
  def apply(at: Int): Product = products(at) // «Product Shelf.products»
  def find(name: String): Option[Product] = products.find(p => p.name == name) // «Product Shelf.products Product.name»
  def priceOf(name: String): Int = find(name).map(_.price).getOrElse(0) // «Shelf.find Product.price»
  def nameOf(name: String): String = find(name).get.name // «Shelf.find Product.name»
  def add(product: Product): Unit = products += product // «Product Shelf.products»
}
