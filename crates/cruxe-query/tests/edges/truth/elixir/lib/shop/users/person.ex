defmodule Shop.Users.Person do
  defmodule Address do
    defstruct [:street, :city]
    def whole(%__MODULE__{street: street, city: city}), do: street <> city
  end

  defstruct [:name, :home]

  def new(name), do: %__MODULE__{name: name, home: %Address{}} # «Person.Address»
  def street(%{home: %Address{street: street}}), do: street # «Person.Address»
  def whole(person), do: Address.whole(person.home) # «Person.Address Address.whole»
end
