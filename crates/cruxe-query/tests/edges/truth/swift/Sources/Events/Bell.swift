typealias Ringing = (String) -> Void

protocol Listener: AnyObject { func heard(_ who: String) }

class Bell {
    private var listeners: [Listener] = [] // «Listener»
    weak var delegate: Listener? // «Listener»
    var onRing: Ringing? // «Ringing»
    func listen(_ listener: Listener) { listeners.append(listener) } // «Listener Bell.listeners»
    func ring(_ who: String) {
        listeners.forEach { $0.heard(who) } // «Bell.listeners Listener.heard»
        delegate?.heard(who) // «Bell.delegate Listener.heard»
        onRing?(who) // «Bell.onRing»
    }
}
