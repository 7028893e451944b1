package shop.reports

class Outer(val size: Int) { outer =>
  class Inner(val size: Int) {
    def both: Int = this.size + Outer.this.size + outer.size // «Inner.size Outer.size Outer»
  }
  def inner: Inner = new Inner(2) // «Outer.Inner»
  def sum: Int = inner.both // «Outer.inner Inner.both»
}

object Outer {
  val shared = new Outer(1) // «Outer»
  def total: Int = shared.sum + shared.inner.size // «Outer.shared Outer.sum Outer.inner Inner.size»
}
