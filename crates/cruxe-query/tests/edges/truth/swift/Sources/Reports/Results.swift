enum Outcome {
    case sold(Product, at: Int) // «Product»
    case lost(reason: String)
    indirect case nested(Outcome) // «Outcome»
}

struct Results {
    func show(_ outcome: Outcome) -> String { // «Outcome»
        switch outcome {
        case .sold(let product, _): return product.name // «Outcome.sold Product.name»
        case let .lost(reason): return reason // «Outcome.lost»
        case .nested(let inner): return show(inner) // «Outcome.nested Results.show»
        }
    }
    func made() -> Outcome { .lost(reason: "x") } // «Outcome Outcome.lost»
    func sold() -> [Outcome] { [Outcome.sold(Product.free("y"), at: 1), .nested(.lost(reason: "z"))] } // «Outcome Outcome.sold Product Product.free Outcome.nested Outcome.lost»
    func isSold(_ outcome: Outcome) -> Bool { // «Outcome»
        if case .sold = outcome { return true } // «Outcome.sold»
        return false
    }
}
