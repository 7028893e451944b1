package shop.tools

import shop.catalog.Product // «Product»
import shop.tools.money.*
import shop.tools.product.and // «product.and»
import shop.tools.product.money // «product.money»
import shop.tools.product.text // «product.text»

class Printer {
    fun print(product: Product): String = product.text() + product.money.text() // «Product product.text product.money money.text»
    fun both(a: Product, b: Product) = (a and b).first().text() // «Product product.and product.text»
    fun direct(): (Product) -> String = Product::text // «Product product.text»
    fun names(all: List<Product>): List<String> = all.map(Product::name) // «Product Product.name»
    fun loud(product: Product): String = product.name.shout() // «Product Product.name shout»
}
