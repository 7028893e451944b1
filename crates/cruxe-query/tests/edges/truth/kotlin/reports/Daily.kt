package shop.reports

class Daily : Report, Stored { // «Report Stored»
    override val title = "daily"
    override fun send() {}
    companion object {
        fun make(): Report = Daily() // «Report Daily»
    }
}

class Logged(private val inner: Report) : Report by inner { // «Report Logged.inner»
    fun log() = inner.render() // «Logged.inner Report.render»
}
