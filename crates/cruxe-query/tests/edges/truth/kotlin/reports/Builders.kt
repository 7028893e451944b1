package shop.reports

class GridRow {
    var span: Int = 0
    fun cell(text: String) {}
}

class Grid {
    fun gridRow(fill: GridRow.() -> Unit) { GridRow().fill() } // «GridRow»
    fun caption(text: String) {}
}

typealias Filling = Grid.() -> Unit // «Grid»

fun grid(name: String = "", wide: Boolean = false, fill: Filling): Grid = Grid().apply(fill) // «Filling Grid»

suspend fun laterGrid(fill: suspend Grid.() -> Unit) {} // «Grid»

fun <T> T.tuned(change: T.() -> Unit): T { change(); return this }

class Page(private val caption: String) {
    private val lazily by lazy { Grid() } // «Grid»
    fun draw() {
        grid("x") { // «reports.grid»
            caption("y") // «Grid.caption»
            gridRow { // «Grid.gridRow»
                cell("a") // «GridRow.cell»
                caption("z") // «Grid.caption»
                this@grid.caption("w") // «Grid.caption»
                this.span = 1 // «GridRow.span»
            }
        }
        lazily.caption("v") // «Page.lazily Grid.caption»
    }
    suspend fun drawLater() = laterGrid { caption(this@Page.caption) } // «laterGrid Grid.caption Page Page.caption»
    fun more(span: Int) = GridRow().tuned { this.span = span; cell("b") } // «GridRow tuned GridRow.span GridRow.cell»
    fun most() = more(1).cell("c") // «Page.more GridRow.cell»
}
