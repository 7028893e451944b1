package shop.reports

import shop.stock.Item // «Item»

class Queries(items: List[Item]) { // «Item»
  def run(wanted: Item => Boolean): Unit = { // «Item»
    items.filter(item => item.left > 0) // «Item.left»
    items.filter(_.left > 0).map(_.product.name) // «Item.left Item.product Product.name»
    items.foreach { x => x.touch() } // «Item.touch»
    items.find(y => wanted(y)).get.touch() // «-Item.touch»
    each(z => z.touch()) // «Queries.each Item.touch»
    each(_.touch()) // «Queries.each Item.touch»
    items.headOption.foreach(_.touch()) // «Item.touch»
    for (item <- items if item.left > 1) item.touch() // «Item.left Item.touch»
    items.collect { case item if item.left > 2 => item.name } // «-Item.left -Item.name»
  }
  private def each(action: Item => Unit): Unit = items.foreach(action) // «Item»
}
