package shop.catalog

class Bundle(name: String, val parts: List<Product>) : Product(name) { // «Product»
    override fun total(): Int = super.total() + parts.sumOf { it.total() } // «Product.total Bundle.parts»
    fun first(): Product = parts.first() // «Product Bundle.parts»
    fun cheapest(): Int = parts.map { part -> part.price }.min() // «Bundle.parts Product.price»
    operator fun plus(other: Product): Bundle = Bundle(name, parts + other) // «Product Bundle Product.name Bundle.parts»
}
