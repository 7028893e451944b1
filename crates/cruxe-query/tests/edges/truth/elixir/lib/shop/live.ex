defmodule Shop.Live do
  alias Shop.Users.Clerk # «Clerk»
  alias Shop.Users.Clerk, as: C # «Clerk»
  alias Shop.Tools.Printer # «Printer»

  def mount(socket) do
    person = Clerk.nobody() # «Clerk Clerk.nobody»
    serve = &C.serve/1 # «Clerk Clerk.serve»
    hello = Clerk.hello(person) # «Clerk Clerk.hello»
    {:ok, socket, Printer.all([hello, serve])} # «Printer Printer.all»
  end

  def helper(clerk), do: clerk |> hello() # «Live.hello»
  defp hello(clerk), do: clerk
end
