defmodule Shop.Reports.Macros do
  defmacro report(name, do: block) do
    quote do
      def unquote(name)(), do: unquote(block)
    end
  end
end

defmodule Shop.Reports.Daily do
  import Shop.Reports.Macros # «Macros»
  alias Shop.Reports.Queries # «Queries»

  report :today do # «Macros.report»
    Queries.run("today") # «Queries Queries.run»
  end

  def send_off, do: today()
end
