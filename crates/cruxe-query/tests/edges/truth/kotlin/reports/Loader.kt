package shop.reports

import shop.catalog.Product // «Product»

class Loader {
    suspend fun load(): Product = Product("x") // «Product»
    suspend fun show(): String {
        val product = load() // «Loader.load»
        return product.name + load().name // «Product.name Loader.load»
    }
    inline fun <reified R : Product> only(all: List<Any>): List<R> = all.filterIsInstance<R>() // «Product»
    fun <R : Product> nameOf(one: R): String = one.name // «Product Product.name»
    fun kind() = Product::class // «Product»
}
