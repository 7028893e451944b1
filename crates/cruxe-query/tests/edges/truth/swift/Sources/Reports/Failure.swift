enum Failure: Error {
    case empty
    case broken(code: Int)
}

struct Loader {
    func load() throws -> Product { throw Failure.empty } // «Product Failure Failure.empty»
    func later() async throws -> Product { try load() } // «Product Loader.load»
    func show() async -> String {
        do {
            let product = try await later() // «Loader.later»
            return product.name + (try load().name) // «Product.name Loader.load»
        } catch Failure.broken(let code) { // «Failure Failure.broken»
            return String(code)
        } catch let failure as Failure { // «Failure»
            return "\(failure)"
        } catch {
            return (try? load())?.name ?? "" // «Loader.load Product.name»
        }
    }
}
