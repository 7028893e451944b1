defmodule Shop.Line do
  defstruct [:name, :price]
  def price(line), do: line.price
end

defmodule Shop.Format do
  def money(amount), do: "#{amount} EUR"
  defmacro twice(x), do: quote(do: unquote(x) * 2)
end

defmodule Shop.Store do
  @behaviour Shop.Keeper # «Keeper»
  @impl true
  def put(order), do: {:ok, order}
end

defmodule Shop.Keeper do
  @callback put(term) :: term
end
