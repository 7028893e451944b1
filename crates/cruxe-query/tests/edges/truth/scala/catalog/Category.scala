package shop.catalog

sealed abstract class Category(val label: String) {
  def tax: Int = label.length // «Category.label»
}

object Category {
  case object Food extends Category("food") // «Category»
  case object Tools extends Category("tools") // «Category»
  def of(text: String): Category = if (text == Food.label) Food else Tools // «Category Category.Food -Category.label Category.Tools»
}

object Shade extends Enumeration {
  val Food, Dark = Value // «!Shade.Food»
}
