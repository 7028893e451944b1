defmodule Shop.ClerkTest do
  use ExUnit.Case, async: true
  alias Shop.Users.{Clerk, Person} # «Clerk Person»

  setup do
    %{person: Person.new("p")} # «Person Person.new»
  end

  describe "hello" do
    test "says the name", %{person: person} do
      assert Clerk.hello(person) =~ "p" # «Clerk Clerk.hello»
      assert %Person{} = make() # «Person ClerkTest.make»
    end
  end

  defp make, do: Clerk.nobody() # «Clerk Clerk.nobody»
end
