defprotocol Shop.Tools.Show do
  @doc "As text."
  def text(value)
end

defimpl Shop.Tools.Show, for: Shop.Catalog.Product do # «Show Product»
  def text(product), do: Shop.Tools.Text.shorten(product.name) # «Text Text.shorten»
end

defimpl Shop.Tools.Show, for: [Shop.Billing.Money, Integer] do # «Show Money»
  def text(value), do: inspect(value)
end
