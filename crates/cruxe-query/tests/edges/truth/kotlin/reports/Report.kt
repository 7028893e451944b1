package shop.reports

interface Report {
    val title: String
    fun render(): String = title // «Report.title»
}

interface Stored { fun send() }
