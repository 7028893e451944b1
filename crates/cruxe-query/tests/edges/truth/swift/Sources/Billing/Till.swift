class Till {
    private var last: Payment? // «Payment»
    func take(_ payment: Payment) -> Bool { // «Payment»
        last = payment // «Till.last»
        if let card = payment as? Card { return card.pay() } // «Card Card.pay»
        if payment is Cash { return true } // «Cash»
        guard let known = last else { return false } // «Till.last»
        return known.pay() // «Payment.pay»
    }
    func shown() -> String? { last?.show() } // «Till.last Payment.show»
    func forced() -> Bool { last!.pay() } // «Till.last Payment.pay»
}
