defmodule Shop.Reports.Failure do
  defexception [:message]

  def because(why), do: %__MODULE__{message: why}
end

defmodule Shop.Reports.Loader do
  alias Shop.Reports.Failure # «Failure»

  def load!(path) do
    raise Failure, message: path # «Failure»
  rescue
    failure in Failure -> Failure.because(failure.message) # «Failure Failure.because»
  end

  def load(path), do: try_load(path) || load!(path) # «Loader.try_load Loader.load!»
  defp try_load(path), do: File.exists?(path)
end
