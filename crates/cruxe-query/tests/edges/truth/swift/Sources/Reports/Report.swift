protocol Report {
    var title: String { get }
    func render() -> String
}

extension Report { // «Report»
    func render() -> String { title } // «Report.title»
}

protocol Stored { func send() }

typealias Both = Report & Stored // «Report Stored»
