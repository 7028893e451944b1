package shop.stock

import shop.catalog.* 

class Item(val product: Product) : Entity() { // «Product Entity»
    var left = 0
    override fun touch() { super.touch(); left++ } // «Entity.touch Item.left»
    fun name(): String = product.name // «Item.product Product.name»
    fun tax(): Int = product.category.tax() // «Item.product Product.category Category.tax»
}
