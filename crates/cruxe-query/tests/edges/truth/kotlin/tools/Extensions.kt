package shop.tools

import shop.model.Order // «Order»
import shop.model.State // «State»

fun Order.isOpen(): Boolean = state == State.OPEN // «Order Order.state State State.OPEN»

val Order.size: Int get() = lines.size // «Order Order.lines»

typealias Basket = Order // «Order»
