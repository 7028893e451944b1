public enum Category: String, CaseIterable {
    case food
    case tools
    var label: String {
        switch self {
        case .food: return "food" // «Category.food»
        case .tools: return rawValue // «Category.tools»
        }
    }
    static func of(_ text: String) -> Category { Category(rawValue: text) ?? .food } // «Category Category.food»
}

enum Shade { case food, dark } // «!Shade.food»
