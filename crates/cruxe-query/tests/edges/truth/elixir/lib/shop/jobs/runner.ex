defmodule Shop.Jobs.Runner do
  @type job :: (map -> term)
  @typep result :: {:ok, term}

  @spec each([job], map) :: [result] # «Runner.job Runner.result»
  def each(jobs, state) do
    for job <- jobs, do: {:ok, job.(state)}
  end

  def start({module, name, arguments}) do
    apply(module, name, arguments)
  rescue
    problem in [ArgumentError] -> failed(problem) # «Runner.failed»
  end

  defp failed(problem), do: reraise(problem, __STACKTRACE__)
end
