package shop.stock

class Tree[T] {
  private var root: Option[Node] = None // «Tree.Node»
  def put(value: T): Unit = root = Some(new Node(value, root)) // «Tree.root Tree.Node»
  def top: Option[T] = root.map(_.value) // «Tree.root Node.value»
  private class Node(val value: T, val next: Option[Node]) // «Tree.Node»
}
