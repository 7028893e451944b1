defmodule Shop.Stock.Repository do
  use GenServer
  alias Shop.Stock.Item # «Item»
  @name __MODULE__

  def start_link(options), do: GenServer.start_link(__MODULE__, options, name: @name) # «Repository.name»
  def save(item), do: GenServer.call(@name, {:save, item}) # «Repository.name»
  def find(id, default \\ nil), do: GenServer.call(@name, {:find, id, default}) # «Repository.name»

  @impl GenServer
  def init(_options), do: {:ok, empty()} # «Repository.empty»

  @impl GenServer
  def handle_call({:save, item}, _from, all) do
    {:reply, :ok, put(all, Item.touch(item))} # «Repository.put Item Item.touch»
  end

  def handle_call({:find, id, default}, _from, all), do: {:reply, Map.get(all, id, default), all}

  defp empty, do: %{}
  defp put(all, item), do: Map.put(all, map_size(all), item)
end
