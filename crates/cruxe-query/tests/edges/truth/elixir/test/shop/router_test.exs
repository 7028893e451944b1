defmodule Shop.RouterTest do
  use ExUnit.Case
  alias Shop.Web.Router # «Router»
  import Router, only: [path: 1] # «Router Router.path»

  setup_all do
    [conn: %{}]
  end

  test "joins", %{conn: conn} do
    assert path(:home) == "//x" # «Router.path»
    assert Router.all() |> length() == 2 # «Router Router.all»
    assert %{} = Router.call(conn) # «Router Router.call»
  end
end
