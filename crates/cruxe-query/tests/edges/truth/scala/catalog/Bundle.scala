package shop.catalog

class Bundle(name: String, val parts: List[Product]) extends Product(name) { // «Product»
  override def sum: Int = super.sum + parts.map(_.sum).sum // «Product.sum Bundle.parts»
  def first: Product = parts.head // «Product Bundle.parts»
  def label: String = first.name // «Bundle.first Product.name»
  def cheap: Int = parts.map(part => part.price).min // «Bundle.parts Product.price»
  def loop(): Unit = for (part <- parts) println(part.sum) // «Bundle.parts Product.sum»
  def both: List[Int] = for { a <- parts; b <- parts } yield a.price + b.price // «Bundle.parts Product.price»
  def +(other: Product): Bundle = new Bundle(name, other :: parts) // «Product Bundle Bundle.parts»
}
