defmodule Shop.Users.Clerk do
  alias Shop.Billing.Till # «Till»
  alias Shop.Users.Person # «Person»
  alias Person.Address # «-Person Person.Address»

  def serve(payment), do: Till.take(%Till{}, payment) # «Till Till.take»
  def hello(%Person{name: name}), do: "I am #{name} #{Person.street(nobody())}" # «Person Person.street Clerk.nobody»
  def nobody, do: Person.new("nobody") # «Person Person.new»
  def home, do: Address.whole(%Address{street: "a", city: "b"}) # «Person.Address Address.whole»
  def other, do: apply(__MODULE__, :nobody, []) # «Clerk.nobody»
end
