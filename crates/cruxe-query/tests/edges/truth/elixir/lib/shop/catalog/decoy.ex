defmodule Shop.Decoy do
  # Everything here has a name that something else has as well, and nobody uses it.
  def sum(_), do: 2 # «!Decoy.sum»
  def pay(_), do: :ok # «!Decoy.pay»
  def touch(_), do: :ok # «!Decoy.touch»
  def find(_, _), do: nil # «!Decoy.find»
  def text(_), do: "" # «!Decoy.text»
  def shout(_), do: "" # «!Decoy.shout»
end
