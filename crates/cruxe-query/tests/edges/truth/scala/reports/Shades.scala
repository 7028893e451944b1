package shop.reports

import shop.catalog.Category // «Category»
import shop.catalog.Category.{Food, Tools => Gear} // «Category Category.Food Category.Tools»

object Shades {
  def describe(category: Category): String = category match { // «Category»
    case Food => Category.of("x").label // «Category.Food Category Category.of Category.label»
    case Gear => "tools" // «Category.Tools»
  }
  def same(category: Category): Boolean = category == Category.Food // «Category Category.Food»
}
