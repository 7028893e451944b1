package shop.tools

import shop.model.{Order => Purchase, _} // «Order»

object Syntax {
  implicit class OrderOps(order: Purchase) { // «Order»
    def isOpen: Boolean = order.state == Open // «Order.state Open»
  }
  type Basket = Purchase // «Order»
}
