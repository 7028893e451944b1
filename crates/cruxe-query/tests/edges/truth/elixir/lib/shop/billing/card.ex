defmodule Shop.Billing.Card do
  use Shop.Billing.Payment # «Payment»
  defstruct [:number]

  @impl true
  def pay(%__MODULE__{number: number}), do: number != nil
  def check(card), do: twice(__MODULE__, card) # «Payment.twice»
end

defmodule Shop.Billing.Cash do
  use Shop.Billing.Payment # «Payment»
  defstruct coins: 0

  @impl true
  def pay(cash), do: cash.coins > 0
end
