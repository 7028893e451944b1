class Door: Listener { // «Listener»
    private let bell = Bell() // «Bell»
    func open() {
        bell.listen(self) // «Door.bell Bell.listen»
        bell.onRing = { [weak self] who in self?.answer(who) } // «Door.bell Bell.onRing Door.answer»
        bell.ring("door") // «Door.bell Bell.ring»
        func local() { answer("y") } // «Door.answer»
        local()
    }
    func heard(_ who: String) { answer(who) } // «Door.answer»
    private func answer(_ who: String) {}
}
