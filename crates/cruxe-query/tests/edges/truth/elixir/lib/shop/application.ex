defmodule Shop.Application do
  use Application

  @impl true
  def start(_type, _arguments) do
    children = [
      Shop.Stock.Repository, # «Repository»
      {Task, fn -> Shop.Stock.Warehouse.fill() end} # «Warehouse Warehouse.fill»
    ]

    Supervisor.start_link(children, name: Shop.Supervisor)
  end

  defdelegate serve(payment), to: Shop.Users.Clerk # «Clerk»
end
