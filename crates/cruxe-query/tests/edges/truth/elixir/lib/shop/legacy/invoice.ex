defmodule Shop.Legacy.Invoice do
  defstruct number: ""
  def renumber(invoice), do: %{invoice | number: "1"}
  def show(invoice), do: invoice.number # «!Shop.Legacy.Invoice.show»
end
