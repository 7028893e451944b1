package shop.app

import shop.model.*
import shop.tools.isOpen // «isOpen»
import shop.tools.Basket as Bag // «Basket»

object Registry {
    val orders = mutableListOf<Order>() // «Order»
    fun register(order: Order) { orders.add(order) } // «Order Registry.orders»
}

fun make(bag: Bag?): Order = Order.empty() // «Basket Order Order.empty»

fun main() {
    val order = make(null) // «make»
    Registry.register(order) // «Registry Registry.register»
    if (order.isOpen()) println(order.describe()) // «isOpen Order.describe»
    make(null).total() // «make Order.total»
    when (order.state) { // «Order.state»
        State.CLOSED -> println(Order.LIMIT) // «State State.CLOSED Order Order.LIMIT»
        else -> {}
    }
    val priced: Priced = order // «Priced»
    priced.total() // «Priced.total»
    val copy = Line("a", 1).copy(price = 2) // «Line Line.price»
    order.apply { describe() } // «Order.describe»
}
