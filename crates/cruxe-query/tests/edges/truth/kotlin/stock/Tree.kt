package shop.stock

class Tree<T> {
    private var root: Node<T>? = null // «Tree.Node»
    fun put(value: T) { root = Node(value, root) } // «Tree.root Tree.Node»
    fun top(): T? = root?.value // «Tree.root Node.value»
    private class Node<T>(val value: T, val next: Node<T>?) // «Tree.Node»
}
