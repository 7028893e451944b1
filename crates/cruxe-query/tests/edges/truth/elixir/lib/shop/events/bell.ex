defmodule Shop.Events.Listener do
  @callback heard(String.t()) :: :ok
end

defmodule Shop.Events.Bell do
  def ring(listeners, who), do: Enum.each(listeners, & &1.heard(who))

  def loop do
    receive do
      {:ring, who} -> ring([Shop.Events.Door], who) # «Bell.ring Door»
    after
      10 -> loop() # «Bell.loop»
    end
  end
end

defmodule Shop.Events.Door do
  @behaviour Shop.Events.Listener # «Listener»
  alias Shop.Events.Bell # «Bell»

  @impl Shop.Events.Listener # «Listener»
  def heard(who), do: answer(who) # «Door.answer»
  def open, do: spawn(&Bell.loop/0) # «Bell Bell.loop»
  defp answer(_who), do: :ok
end
