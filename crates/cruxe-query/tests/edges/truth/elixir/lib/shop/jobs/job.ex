defmodule Shop.Jobs.Job do
  @callback run(map) :: :ok | {:error, term}
  @optional_callbacks before: 1 # «Job.before»
  @callback before(map) :: map

  defmacro __using__(options) do
    quote do
      @behaviour Shop.Jobs.Job # «Job»
      def most, do: unquote(options[:limit])
      defoverridable most: 0
    end
  end
end
