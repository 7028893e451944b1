package shop.events

trait Listener { def heard(who: String): Unit }

class Bell {
  type Ringing = String => Unit
  private var listeners: List[Listener] = Nil // «Listener»
  def listen(listener: Listener): Unit = listeners = listener :: listeners // «Listener Bell.listeners»
  def ring(who: String): Unit = listeners.foreach(_.heard(who)) // «Bell.listeners Listener.heard»
  def call(ringing: Ringing): Unit = ringing("x") // «Bell.Ringing»
}
