defmodule Shop.Billing.Payment do
  @callback pay(term) :: boolean
  @callback show(term) :: String.t()
  @optional_callbacks show: 1 # «Payment.show»

  defmacro __using__(_options) do
    quote do
      @behaviour Shop.Billing.Payment # «Payment»
      import Shop.Billing.Payment, only: [twice: 2] # «Payment Payment.twice»
      def show(_), do: "payment"
      defoverridable show: 1
    end
  end

  def twice(module, payment), do: module.pay(payment) && module.pay(payment)
end
