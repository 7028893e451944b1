defmodule Shop.Web.Helpers do
  @compile {:inline, escape: 1} # «Helpers.escape»

  def join(left, right), do: left <> "/" <> escape(right) # «Helpers.escape»
  def escape(text), do: String.replace(text, "<", "")

  defmacro link(text, to: path) do
    quote do: "<a href=#{unquote(path)}>#{unquote(text)}</a>"
  end
end
