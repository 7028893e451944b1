defmodule Shop.Legacy.Importer do
  alias Shop.Billing.Invoice, as: Fresh # «Shop.Billing.Invoice»
  alias Shop.{Billing, Legacy}

  def take(%Legacy.Invoice{} = old) do # «Shop.Legacy.Invoice»
    Legacy.Invoice.renumber(old) # «Shop.Legacy.Invoice Invoice.renumber»

    Fresh.new() # «Shop.Billing.Invoice Shop.Billing.Invoice.new»
    |> Fresh.charge(Billing.Money.parse("1")) # «Shop.Billing.Invoice Invoice.charge Money Money.parse»
    |> Billing.Invoice.show() # «Shop.Billing.Invoice Shop.Billing.Invoice.show»
  end

  def later(old), do: Task.async(__MODULE__, :take, [old]) # «Importer.take»
end
