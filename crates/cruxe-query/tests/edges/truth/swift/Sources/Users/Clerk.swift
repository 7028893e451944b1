class Clerk: Person { // «Person»
    private let till: Till // «Till»
    init(till: Till) { // «Till»
        self.till = till // «Clerk.till»
        super.init("clerk")
    }
    func serve(_ payment: Payment) -> Bool { till.take(payment) } // «Payment Clerk.till Till.take»
    func hello() -> String { "I am \(name)" + super.street() } // «Person.name Person.street»
    static func nobody() -> Clerk { Clerk(till: Till()) } // «Clerk Till»
    func friend() -> Clerk { Clerk.nobody() } // «Clerk Clerk.nobody»
    func other() -> String { Self.nobody().hello() } // «Clerk.nobody Clerk.hello»
    class func made() -> Clerk { nobody() } // «Clerk Clerk.nobody»
}
