defmodule Shop.Tools.Printer do
  alias Shop.Tools.{Show, Text} # «Show Text»
  import Text, except: [label: 1] # «Text Text.label»
  require Text # «Text»

  def print(product), do: product |> Show.text() |> shorten() |> shout() # «Show Show.text Text.shorten Text.shout»
  def all(products), do: Enum.map(products, &print/1) # «Printer.print»
  def loudly(text), do: Text.loud(text) # «Text Text.loud»
  def named(texts), do: Enum.map(texts, &Text.shorten(&1, 3)) # «Text Text.shorten»
end
