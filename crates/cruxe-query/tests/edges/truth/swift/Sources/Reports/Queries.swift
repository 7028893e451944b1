class Queries {
    private let items: [Item] // «Item»
    init(_ items: [Item]) { self.items = items } // «Item Queries.items»
    func run(wanted: (Item) -> Bool) { // «Item»
        _ = items.filter { item in item.left > 0 } // «Queries.items Item.left»
        _ = items.filter { $0.left > 0 }.map { $0.product.name } // «Queries.items Item.left Item.product Product.name»
        items.forEach { x in x.touch() } // «Queries.items Item.touch»
        items.first { wanted($0) }?.touch() // «Queries.items Item.touch»
        visit { z in z.touch() } // «Queries.visit Item.touch»
        visit { $0.touch() } // «Queries.visit Item.touch»
        items.first?.touch() // «Queries.items Item.touch»
        for item in items where item.left > 1 { item.touch() } // «Queries.items Item.left Item.touch»
    }
    private func visit(_ action: (Item) -> Void) { items.forEach(action) } // «Item Queries.items»
}
