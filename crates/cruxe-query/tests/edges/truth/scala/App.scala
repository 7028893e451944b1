package shop.app

import shop.model._
import shop.tools.Syntax._ // «Syntax»

object Main extends App {
  def make(): Order = Order.empty // «Order Order.empty»
  val order = make() // «Main.make»
  if (order.isOpen) println(order.describe) // «Main.order OrderOps.isOpen Order.describe»
  make().total // «Main.make Order.total»
  order.state match { // «Main.order Order.state»
    case Closed => println(Order.Limit) // «Closed Order Order.Limit»
    case Open => () // «Open»
  }
  val basket: Basket = order // «Basket Main.order»
  val line = Line("a", 1).copy(price = 2) // «Line Line.price»
}
