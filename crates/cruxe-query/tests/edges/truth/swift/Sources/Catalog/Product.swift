open class Product {
    public let name: String
    public var price: Int
    var category = Category.food // «Category Category.food»
    init(name: String, price: Int = 0) {
        self.name = name // «Product.name»
        self.price = price // «Product.price»
    }
    convenience init(copy other: Product) { // «Product»
        self.init(name: other.name) // «Product.name»
    }
    func sum() -> Int { price } // «Product.price»
    func rename(_ name: String) -> Product { Product(name: name, price: price) } // «Product Product.price»
    static func free(_ name: String) -> Product { Product(name: name) } // «Product»
}
