public enum State { case open, closed }

public protocol Priced { func total() -> Int }

open class Document {
    let title: String
    init(title: String) { self.title = title } // «Document.title»
    func describe() -> String { title } // «Document.title»
}

struct Line { let name: String; let price: Int }

final class Order: Document, Priced { // «Document Priced»
    var state: State = .open // «State State.open»
    let lines: [Line] // «Line»
    static let limit = 10
    init(lines: [Line]) { // «Line»
        self.lines = lines // «Order.lines»
        super.init(title: "order")
    }
    func total() -> Int { lines.reduce(0) { sum, line in sum + line.price } } // «Order.lines Line.price»
    override func describe() -> String { super.describe() + String(total()) } // «Document.describe Order.total»
    class Builder {
        func build() -> Order { Order(lines: []) } // «Order»
    }
}
