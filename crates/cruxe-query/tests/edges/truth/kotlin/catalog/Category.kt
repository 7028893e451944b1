package shop.catalog

enum class Category(val label: String) {
    FOOD("food"), TOOLS("tools") {
        override fun tax(): Int = 2
    };
    open fun tax(): Int = label.length // «Category.label»
    companion object {
        fun of(label: String): Category = values().first { it.label == label } // «Category Category.label»
    }
}

enum class Shade { FOOD, DARK } // «!Shade.FOOD»
