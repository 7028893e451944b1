defmodule Shop.Web.Router do
  alias Shop.Web.{Controller, Plug.Auth} # «Controller Auth»
  alias Shop.Web.Helpers, as: H # «Helpers»

  @routes [home: "/", about: "/about"]

  def path(name), do: H.join(@routes[name], "x") # «Helpers Helpers.join Router.routes»
  def call(conn, opts \\ []), do: conn |> Auth.check(role: :clerk) |> Controller.show(opts) # «Auth Auth.check Controller Controller.show»
  def all, do: Keyword.keys(@routes) # «Router.routes»
end
