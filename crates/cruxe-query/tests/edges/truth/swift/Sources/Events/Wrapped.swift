@propertyWrapper
struct Clamped {
    var wrappedValue: Int
    let most: Int
    init(wrappedValue: Int, most: Int) { self.wrappedValue = wrappedValue; self.most = most } // «Clamped.most»
}

class Gauge {
    @Clamped(most: 3) var level = 1 // «Clamped»
    func raise() { level += 1 } // «Gauge.level»
}
