package shop.reports

import shop.catalog.Category // «Category»
import shop.catalog.Category.FOOD // «Category Category.FOOD»
import shop.legacy.RULE // «RULE»

fun describe(category: Category): String = when (category) { // «Category»
    FOOD -> "food" // «Category.FOOD»
    Category.TOOLS -> Category.of("tools").label // «Category Category.TOOLS Category.of Category.label»
}

val ruled = RULE + 1 // «RULE»
