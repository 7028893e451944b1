defmodule Shop.Catalog.Bundle do
  alias Shop.Catalog.{Category, Product} # «Category Product»
  defstruct parts: []

  def sum(%{parts: parts}), do: parts |> Enum.map(&Product.sum/1) |> add() # «Product Product.sum Bundle.add»
  def labels(bundle), do: Enum.map(bundle.parts, fn part -> Product.label(part) end) # «Product Product.label»
  def standard, do: Category.standard() # «Category Category.standard»
  def first(%__MODULE__{parts: [one | _]}), do: one

  defp add(numbers) do
    Enum.reduce(numbers, 0, &plus/2) # «Bundle.plus»
  end

  defp plus(a, b), do: a + b
end
