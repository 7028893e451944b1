defmodule Shop.Billing.Invoice do
  alias Shop.Billing.Money # «Money»
  import Money, only: [add: 2, is_zero: 1] # «Money Money.add Money.is_zero»

  defstruct amount: nil

  def new, do: %__MODULE__{amount: Money.zero()} # «Money Money.zero»

  def charge(invoice, money) when not is_zero(money) do # «Money.is_zero»
    %{invoice | amount: add(invoice.amount, money)} # «Money.add»
  end

  def show(%{amount: %Money{currency: currency}}), do: currency # «Money»
end
