package shop.model

sealed trait State
case object Open extends State // «State»
case object Closed extends State // «State»

case class Line(name: String, price: Int)

trait Priced { def total: Int }

abstract class Document(val title: String) {
  def describe: String = title // «Document.title»
}

class Order(val lines: List[Line]) extends Document("order") with Priced { // «Line Document Priced»
  var state: State = Open // «State Open»
  def total: Int = lines.map(line => line.price).sum // «Order.lines Line.price»
  override def describe: String = super.describe + total // «Document.describe Order.total»
}

object Order {
  val Limit = 10
  def empty: Order = new Order(Nil) // «Order»
}
