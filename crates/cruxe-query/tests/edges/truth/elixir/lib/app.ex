defmodule Shop.App do
  alias Shop.Order, as: Purchase # «Order»
  require Shop.Format # «Format»

  def run do
    order = Purchase.new([]) # «Order Order.new»
    Purchase.describe(order) # «Order Order.describe»
    Shop.Order.save(order) # «Order Order.save»
    Shop.Format.twice(2) # «Format Format.twice»
    %Purchase{state: :closed} # «Order»
    Enum.map([order], &Purchase.total/1) # «Order total»
  end
end
