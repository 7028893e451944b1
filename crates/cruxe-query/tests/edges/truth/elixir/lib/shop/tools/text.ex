defmodule Shop.Tools.Text do
  @width 80

  def shorten(text, width \\ @width), do: String.slice(text, 0, width) # «-Text.width»
  def shout(text), do: String.upcase(text) <> "!"
  defdelegate label(category), to: Shop.Catalog.Category # «Category»

  defmacro loud(text) do
    quote do
      unquote(__MODULE__).shout(unquote(text)) # «-Text.shout»
    end
  end
end
