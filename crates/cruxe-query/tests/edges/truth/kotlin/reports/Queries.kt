package shop.reports

import shop.stock.Item // «Item»

class Queries(private val items: List<Item>) { // «Item»
    fun run(wanted: (Item) -> Boolean) { // «Item»
        items.filter { item -> item.left > 0 } // «Queries.items Item.left»
        items.filter { it.left > 0 }.map { it.product.name } // «Queries.items Item.left Item.product Product.name»
        items.forEach { x -> x.touch() } // «Queries.items Item.touch»
        items.first { y -> wanted(y) }.touch() // «Queries.items Item.touch»
        each { z -> z.touch() } // «Queries.each Item.touch»
        items.firstOrNull()?.touch() // «Queries.items Item.touch»
        make { touch() } // «Queries.make Item.touch»
    }
    private fun each(action: (Item) -> Unit) { for (one in items) action(one) } // «Item Queries.items»
    private fun make(build: Item.() -> Unit) {} // «Item»
}
