package shop.tools.product

import shop.billing.Money // «Money»
import shop.catalog.Product // «Product»

fun Product.text(): String = name // «Product Product.name»
val Product.money: Money get() = Money(price, "EUR") // «Product Money Product.price»
infix fun Product.and(other: Product): List<Product> = listOf(this, other) // «Product»
