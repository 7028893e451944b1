class Payment {
    let money: Money // «Money»
    init(money: Money) { self.money = money } // «Money Payment.money»
    func pay() -> Bool { false }
    func show() -> String { money.currency } // «Payment.money Money.currency»
    func twice() -> Bool { pay() && self.pay() } // «Payment.pay»
}

final class Card: Payment { // «Payment»
    private let number: String
    init(money: Money, number: String) { // «Money»
        self.number = number // «Card.number»
        super.init(money: money)
    }
    override func pay() -> Bool { !number.isEmpty } // «Card.number»
    override func show() -> String { super.show() + number } // «Payment.show Card.number»
}

final class Cash: Payment { // «Payment»
    var coins = 0
    override func pay() -> Bool { coins > 0 } // «Cash.coins»
}
