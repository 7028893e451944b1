class Warehouse {
    private let items: Repository<Item> // «Repository Item»
    let own = Items() // «Items»
    init(items: Repository<Item>) { self.items = items } // «Repository Item Warehouse.items»
    func fill() {
        items.save(Item(product: Product(name: "x"))) // «Warehouse.items Repository.save Item Product»
        items.find(1).touch() // «Warehouse.items Repository.find Item.touch»
        own.find(1).product.sum() // «Warehouse.own Repository.find Item.product Product.sum»
        own.left(2) // «Warehouse.own Items.left»
    }
}
