// Everything here has a name that something else has as well, and nobody uses it.
class Decoy {
    var price = 1 // «!Decoy.price»
    func sum() -> Int { 2 } // «!Decoy.sum»
    func pay() {} // «!Decoy.pay»
    func send() {} // «!Decoy.send»
    func touch() {} // «!Decoy.touch»
    static func of(_ text: String) {} // «!Decoy.of»
    struct Node {} // «!Decoy.Node»
    static let zero = 1 // «!Decoy.zero»
}
