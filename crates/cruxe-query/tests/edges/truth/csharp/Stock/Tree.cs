namespace Shop.Stock;

public class Tree<T> {
    private Node? root; // «-Tree.Node»
    public void Put(T value) { root = new Node(value, root); } // «Tree.root Tree.Node»
    public T? Top() { return root!.Value; } // «Tree.root Node.Value»
    private class Node {
        public readonly T Value;
        public readonly Node? Next; // «-Tree.Node»
        public Node(T value, Node? next) { Value = value; Next = next; } // «-Tree.Node Node.Value Node.Next»
    }
}
