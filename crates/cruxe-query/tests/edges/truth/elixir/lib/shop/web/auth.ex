defmodule Shop.Web.Plug.Auth do
  alias Shop.Users.{Clerk, Person} # «Clerk Person»
  require Shop.Web.Helpers # «Helpers»

  defstruct [:user, role: :guest]

  def check(conn, options) do
    auth = %__MODULE__{user: Clerk.nobody(), role: options[:role]} # «Clerk Clerk.nobody»
    if allowed?(auth), do: conn, else: deny(conn, auth.user) # «Auth.allowed? Auth.deny»
  end

  defp allowed?(%{role: :clerk}), do: true
  defp allowed?(_), do: false

  defp deny(conn, %Person{} = person) do # «Person»
    Map.put(conn, :error, Shop.Web.Helpers.link(Clerk.hello(person), to: "/")) # «Helpers Helpers.link Clerk Clerk.hello»
  end
end
