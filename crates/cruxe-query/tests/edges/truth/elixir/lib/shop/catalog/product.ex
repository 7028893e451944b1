defmodule Shop.Catalog.Product do
  alias Shop.Catalog.Category # «Category»

  @enforce_keys [:name]
  defstruct [:name, price: 0, category: :food]

  @type t :: %__MODULE__{name: String.t(), category: Category.t()} # «Category Shop.Catalog.Category.t»

  def new(name), do: %__MODULE__{name: name}
  def free(name), do: new(name) # «Product.new»
  def sum(%__MODULE__{price: price}), do: price
  def label(product), do: Category.label(product.category) # «Category Category.label»

  def rename(product, name) do
    %{product | name: name}
  end
end
