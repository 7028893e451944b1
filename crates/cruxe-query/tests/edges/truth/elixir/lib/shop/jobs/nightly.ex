defmodule Shop.Jobs.Nightly do
  use Shop.Jobs.Job, limit: 3 # «Job»
  alias Shop.Jobs.Runner # «Runner»
  alias Shop.Stock.Warehouse, warn: false # «Warehouse»

  @impl Shop.Jobs.Job # «Job»
  def run(state), do: Runner.each([&count/1, &Warehouse.each/1], state) # «Runner Runner.each Nightly.count Warehouse Warehouse.each»

  def start, do: Runner.start({__MODULE__, :run, [%{}]}) # «Runner Runner.start Nightly.run»
  defp count(state) when is_map(state), do: map_size(state)
end
