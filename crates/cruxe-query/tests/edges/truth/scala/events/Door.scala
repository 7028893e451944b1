package shop.events

class Door extends Listener { // «Listener»
  private val bell = new Bell // «Bell»
  def open(): Unit = {
    bell.listen(this) // «Door.bell Bell.listen»
    bell.listen(new Listener { // «Door.bell Bell.listen Listener»
      def heard(who: String): Unit = answer(who) // «Door.answer»
    })
    bell.ring("door") // «Door.bell Bell.ring»
    bell.call(answer) // «Door.bell Bell.call Door.answer»
    def local(): Unit = answer("y") // «Door.answer»
    local()
  }
  def heard(who: String): Unit = answer(who) // «Door.answer»
  private def answer(who: String): Unit = ()
}
