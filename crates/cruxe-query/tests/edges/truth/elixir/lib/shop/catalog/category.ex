defmodule Shop.Catalog.Category do
  @moduledoc "Kinds of products."
  @type t :: :food | :tools
  @default :food

  @spec label(t()) :: String.t() # «Shop.Catalog.Category.t»
  def label(:food), do: "food"
  def label(_other), do: fallback() # «Category.fallback»

  def standard, do: @default # «Category.default»

  defp fallback, do: label(@default) # «Category.label Category.default»
end
