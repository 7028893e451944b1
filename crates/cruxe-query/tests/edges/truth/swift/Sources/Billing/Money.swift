struct Money: Equatable {
    let amount: Int
    let currency: String
    static let zero = Money(amount: 0, currency: "EUR") // «Money»
    static func + (a: Money, b: Money) -> Money { Money(amount: a.amount + b.amount, currency: a.currency) } // «Money Money.amount Money.currency»
    static func parse(_ text: String) -> Money { Money.zero } // «Money Money.zero»
    func isZero() -> Bool { self == .zero } // «Money.zero»
    func adding(_ other: Money) -> Self { self + other } // «Money»
}
