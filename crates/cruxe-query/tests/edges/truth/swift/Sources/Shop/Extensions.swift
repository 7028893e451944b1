extension Order { // «Order»
    var isOpen: Bool { state == .open } // «Order.state State.open»
    func close() -> Order { state = .closed; return self } // «Order Order.state State.closed»
}

typealias Basket = Order // «Order»
