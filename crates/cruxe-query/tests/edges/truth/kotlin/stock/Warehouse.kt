package shop.stock

import shop.catalog.Product // «Product»

class Warehouse(private val items: Repository<Item>) { // «Repository Item»
    val own = Items() // «Items»
    fun fill() {
        items.save(Item(Product("x"))) // «Warehouse.items Repository.save Item Product»
        items.find(1).touch() // «Warehouse.items Repository.find Item.touch»
        own.find(1).product.total() // «Warehouse.own Repository.find Item.product Product.total»
        own.left(2) // «Warehouse.own Items.left»
        with(own) { sum() } // «Warehouse.own Items.sum»
    }
}
