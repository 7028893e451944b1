struct Tree<Value> {
    private var root: Node? // «Tree.Node»
    mutating func put(_ value: Value) { root = Node(value: value, next: root) } // «Tree.root Tree.Node»
    func top() -> Value? { root?.value } // «Tree.root Node.value»
    private class Node {
        let value: Value
        let next: Node? // «Tree.Node»
        init(value: Value, next: Node?) { // «Tree.Node»
            self.value = value // «Node.value»
            self.next = next // «Node.next»
        }
    }
}
