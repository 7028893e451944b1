class Invoice {
    private(set) var amount = Money.zero // «Money Money.zero»
    @discardableResult
    func charge(_ money: Money) -> Invoice { // «Money Invoice»
        amount = amount.adding(money) // «Invoice.amount Money.adding»
        return self
    }
    func charge(product: Product) -> Invoice { // «Product Invoice»
        charge(Money(amount: product.price, currency: "EUR")) // «Invoice.charge Money Product.price»
    }
    func show() -> String { amount.currency } // «Invoice.amount Money.currency»
    enum Legacy {
        struct Invoice { let number: String } // «!Legacy.Invoice»
        static func renumber(_ invoice: Invoice) -> Invoice { Invoice(number: invoice.number) } // «Legacy.Invoice Invoice.number»
    }
}
