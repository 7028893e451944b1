package shop.billing

class Till {
  private var last: Option[Payment] = None // «Payment»
  def take(payment: Payment): Boolean = { // «Payment»
    last = Some(payment) // «Till.last»
    payment match {
      case card: Card => card.pay() // «Card Card.pay»
      case Cash(_, coins) if coins > 1 => true // «Cash»
      case c @ Cash(_, _) => c.pay() // «Cash Cash.pay»
      case _ => false
    }
  }
  def shown: Option[String] = last.map(_.show) // «Till.last Payment.show»
  def again(): Unit = last.foreach { p => p.pay() } // «Till.last Payment.pay»
  def more(): Unit = last match { // «Till.last»
    case Some(one) => one.pay() // «-Payment.pay»
    case None => ()
  }
}
