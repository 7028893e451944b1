defmodule Shop.Billing.Till do
  alias Shop.Billing.{Card, Cash, Payment} # «Card Cash Payment»
  alias __MODULE__

  defstruct last: nil

  def take(%Till{} = till, %Card{} = card) do # «Till Card»
    if Card.pay(card), do: %Till{till | last: card}, else: till # «Card Card.pay Till»
  end

  def take(till, %Cash{coins: coins} = cash) when coins > 1 do # «Cash»
    case Cash.pay(cash) do # «Cash Cash.pay»
      true -> Payment.twice(Cash, cash) # «Payment Payment.twice Cash»
      false -> till
    end
  end
end
