package shop.stock

trait Counted { self: Entity => // «Entity»
  def step: Int = 1
  def counted: Int = id + step // «-Entity.id Counted.step»
}

trait Tagged {
  var tag: String = ""
  def tagged(text: String): this.type = { tag = text; this } // «Tagged.tag»
}

class Box(product: shop.catalog.Product) extends Item(product) with Counted with Tagged { // «Product Item Counted Tagged»
  override def touch(): Unit = {
    println(counted) // «Counted.counted»
    this.tagged("a").name // «Tagged.tagged -Item.name»
    tag = "b" // «Tagged.tag»
  }
}
