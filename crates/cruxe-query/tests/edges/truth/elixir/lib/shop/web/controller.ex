defmodule Shop.Web.Controller do
  import Shop.Web.Helpers # «Helpers»
  import Shop.Tools.Text, only: [shout: 1], warn: false # «Text Text.shout»

  # Keys of a keyword list are data: none of these is a use of a function of that name.
  def show(conn, options) do
    render(conn, join: options, escape: true, shout: 1) # «Controller.render»
  end

  defp render(conn, assigns) do
    body = escape(inspect(assigns)) # «Helpers.escape»
    %{conn: conn, join: body, shout: shout(body)} # «Text.shout»
  end
end
