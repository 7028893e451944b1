package shop.tools.money

import shop.billing.Money // «Money»

fun Money.text(): String = this.currency // «Money Money.currency»
fun String.shout(): String = uppercase()
