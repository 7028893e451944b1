package shop.reports

class Outer(val size: Int) {
    inner class Inner(val size: Int) {
        fun both(): Int = this.size + this@Outer.size // «Inner.size Outer Outer.size»
    }
    class Nested {
        fun make(): Outer = Outer(1) // «Outer»
    }
    fun inner(): Inner = Inner(2) // «Outer.Inner»
    fun sum(): Int = inner().both() + Nested().make().size // «Outer.inner Inner.both Outer.Nested Nested.make Outer.size»
}
