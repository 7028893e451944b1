defmodule Shop.Stock.Item do
  alias Shop.Catalog.Product # «Product»
  defstruct product: nil, left: 0

  def new(product \\ Product.free("x")), do: %__MODULE__{product: product} # «Product Product.free»
  def touch(item), do: update_in(item.left, &(&1 + 1))
  def name(%{product: %Product{name: name}}), do: name # «Product»
end
