package shop.catalog

class Shelf {
    private val products = ArrayList<Product>() // «Product»
    operator fun get(at: Int): Product = products[at] // «Product Shelf.products»
    fun total(): Int {
        var sum = 0
        for (product in products) { sum += product.total() } // «Shelf.products Product.total»
        return sum
    }
    fun label(): String = this[0].name // «Product.name»
    fun firstName(): String = products.first().name // «Shelf.products Product.name»
    fun find(name: String): Product? = products.find { p -> p.name == name } // «Product Shelf.products Product.name»
    fun price(name: String): Int = find(name)?.price ?: 0 // «Shelf.find Product.price»
}
