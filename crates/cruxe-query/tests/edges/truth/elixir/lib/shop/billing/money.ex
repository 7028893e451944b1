defmodule Shop.Billing.Money do
  defstruct amount: 0, currency: "EUR"

  def zero, do: %__MODULE__{}
  def add(%__MODULE__{amount: a}, %__MODULE__{amount: b}), do: %__MODULE__{amount: a + b}
  def parse(text) when is_binary(text), do: zero() # «Money.zero»

  defguard is_zero(money) when money.amount == 0
  defmacro sigil_m(text, _), do: text
end
