class Outer {
    let size: Int
    init(size: Int) { self.size = size } // «Outer.size»
    struct Inner {
        let size: Int
        func both(_ outer: Outer) -> Int { size + outer.size } // «Outer Inner.size Outer.size»
    }
    func inner() -> Inner { Inner(size: 2) } // «Outer.Inner»
    func sum() -> Int { inner().both(self) } // «Outer.inner Inner.both»
    static let shared = Outer(size: 1) // «Outer»
}

extension Outer.Inner { // «Outer Outer.Inner»
    func more() -> Int { size + Outer.shared.size } // «-Inner.size Outer Outer.shared Outer.size»
}
