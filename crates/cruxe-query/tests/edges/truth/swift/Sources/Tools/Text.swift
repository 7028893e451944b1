extension Product { // «Product»
    func text() -> String { name } // «Product.name»
    var money: Money { Money(amount: price, currency: "EUR") } // «Money Product.price»
}

extension Money { // «Money»
    func text() -> String { self.currency } // «Money.currency»
}

extension String {
    func shout() -> String { uppercased() + "!" }
    func text() -> String { self } // «!String.text»
}

extension Array where Element == Product { // «Product»
    func names() -> [String] { map { $0.name } } // «-Product.name»
}
