defmodule Shop.Order do
  alias Shop.{Line, Store} # «Line Store»
  import Shop.Format, only: [money: 1] # «Format money»
  require Logger

  @limit 10
  defstruct lines: [], state: :open

  def new(lines), do: %__MODULE__{lines: lines}

  def total(%__MODULE__{lines: lines}) do
    lines |> Enum.map(&Line.price/1) |> sum() # «Line Line.price Order.sum»
  end

  def describe(order) do
    order |> total() |> money() # «total money»
  end

  def save(order), do: Store.put(order) # «Store Store.put»

  defp sum(prices), do: Enum.sum(prices) + @limit # «limit»
end
