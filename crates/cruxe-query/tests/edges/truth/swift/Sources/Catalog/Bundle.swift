class Bundle: Product { // «Product»
    var parts: [Product] = [] // «Product»
    override func sum() -> Int {
        super.sum() + parts.map { $0.sum() }.reduce(0, +) // «Product.sum Bundle.parts»
    }
    func first() -> Product { parts[0] } // «Product Bundle.parts»
    func label() -> String { first().name + self.name } // «Bundle.first Product.name»
    func cheap() -> Int { parts.map { part in part.price }.min()! } // «Bundle.parts Product.price»
    func loop() {
        for part in parts { part.sum() } // «Bundle.parts Product.sum»
    }
}
