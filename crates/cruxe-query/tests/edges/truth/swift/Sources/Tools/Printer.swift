struct Printer {
    func print(_ product: Product) -> String { // «Product»
        product.text() + product.money.text() // «Product.text Product.money Money.text»
    }
    func loud(_ product: Product) -> String { product.name.shout() } // «Product Product.name String.shout»
    func all(_ products: [Product]) -> [String] { products.names() } // «Product Array.names»
    func paths() -> KeyPath<Product, String> { \Product.name } // «Product -Product.name»
    func mapped(_ products: [Product]) -> [String] { products.map(\.name) } // «Product -Product.name»
}
