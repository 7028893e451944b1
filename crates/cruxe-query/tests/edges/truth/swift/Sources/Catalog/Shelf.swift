struct Shelf {
    private var products = [Product]() // «Product»
    subscript(at: Int) -> Product { products[at] } // «Product Shelf.products»
    func label() -> String { self[0].name } // «Product.name»
    func find(_ name: String) -> Product? { products.first { p in p.name == name } } // «Product Shelf.products -Product.name»
    func priceOf(_ name: String) -> Int { find(name)?.price ?? 0 } // «Shelf.find Product.price»
    mutating func add(_ product: Product) { products.append(product) } // «Product Shelf.products»
}
