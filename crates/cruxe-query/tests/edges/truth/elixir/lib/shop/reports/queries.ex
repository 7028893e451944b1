defmodule Shop.Reports.Queries do
  alias Shop.Stock.Item # «Item»
  alias Shop.Reports.Loader # «Loader»
  @limit 3
  @fields ~w(name left)a

  def late(items) do
    items
    |> Enum.filter(fn %Item{left: left} -> left < @limit end) # «Item Queries.limit»
    |> Enum.map(&{Item.name(&1), @fields}) # «Item Item.name Queries.fields»
  end

  def run(path, options \\ []) do
    limit = Keyword.get(options, :limit, @limit) # «-Queries.limit»
    {:ok, items} = Loader.load(path) # «Loader Loader.load»
    late(Enum.take(items, limit)) # «Queries.late»
  end
end
