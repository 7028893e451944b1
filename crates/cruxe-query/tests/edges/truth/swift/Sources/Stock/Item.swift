class Item: Entity { // «Entity»
    let product: Product // «Product»
    var left = 0
    init(product: Product) { self.product = product } // «Product Item.product»
    override func touch() { super.touch(); left += 1 } // «Entity.touch Item.left»
    func name() -> String { product.name } // «Item.product Product.name»
    func label() -> String { product.category.label } // «Item.product Product.category Category.label»
}
