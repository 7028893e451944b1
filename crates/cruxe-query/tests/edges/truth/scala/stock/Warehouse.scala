package shop.stock

import shop.catalog.Product // «Product»

class Warehouse(items: Repository[Item]) { // «Repository Item»
  val own = new Items // «Items»
  def fill(): Unit = {
    items.save(new Item(Product("x"))) // «Repository.save Item Product»
    items.find(1).touch() // «Repository.find Item.touch»
    own.find(1).product.sum // «Warehouse.own Repository.find Item.product Product.sum»
    own.left(2) // «Warehouse.own Items.left»
    own left 3 // «Warehouse.own Items.left»
  }
}
