package shop.catalog

class Product(val name: String, var price: Int = 0) {
  var category: Category = Category.Food // «Category Category.Food»
  def this(other: Product) = this(other.name) // «Product Product.name»
  def sum: Int = price // «Product.price»
  def rename(name: String): Product = new Product(name, this.price) // «Product Product.price»
  def shown: String = s"$name ${price + 1}" // «Product.name Product.price»
}

object Product {
  def free(name: String): Product = new Product(name) // «Product»
  def apply(name: String): Product = free(name) // «Product Product.free»
}
