import Foundation

extension JSONEncoder {
    static func shop() -> JSONEncoder { JSONEncoder() } // «!JSONEncoder»
    func encodeShop() -> String { "" }
}

struct Coding {
    let encoder = JSONEncoder.shop() // «JSONEncoder.shop»
    func run(_ other: JSONEncoder) -> String { other.encodeShop() + "x".shout() } // «JSONEncoder.encodeShop String.shout»
}
