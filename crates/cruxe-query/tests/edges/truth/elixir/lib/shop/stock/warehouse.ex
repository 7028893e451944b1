defmodule Shop.Stock.Warehouse do
  alias Shop.Catalog.Product, as: P # «Product»
  alias Shop.Stock.{Item, Repository} # «Item Repository»

  def fill do
    with :ok <- Repository.save(Item.new(P.new("y"))), # «Repository Repository.save Item Item.new Product Product.new»
         %Item{} = item <- Repository.find(1) do # «Item Repository Repository.find»
      item |> Item.touch() |> Item.name() # «Item Item.touch Item.name»
    end
  end

  def each(items) do
    for item <- items, item.left > 0, do: Item.name(item) # «Item Item.name»
  end
end
