package shop.catalog

open class Product(val name: String, var price: Int = 0) {
    var category: Category = Category.FOOD // «Category Category.FOOD»
    val shown: String
        get() = "$name $price" // «Product.name Product.price»
    open fun total(): Int = price // «Product.price»
    fun rename(name: String): Product = Product(name, this.price) // «Product Product.price»
}
