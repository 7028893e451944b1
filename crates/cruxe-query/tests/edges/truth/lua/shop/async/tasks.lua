local Queue = require("shop.async.queue")

local tasks = {}
local running = Queue.of_limit(2) -- «Queue.of_limit»

local function step(count)
  for i = 1, count do
    coroutine.yield(i)
  end
end

function tasks.spawn(count)
  local thread = coroutine.create(step) -- «step»
  coroutine.resume(thread, count)
  local next_step = coroutine.wrap(function() step(count) end) -- «step»
  return thread, next_step
end

function tasks.later(job, ...)
  local queued, problem = running:enqueue(job, ...) -- «running Queue.enqueue»
  if not queued then
    error(problem)
  end
  return queued:enqueue(tasks.spawn, 1):run_all() -- «Queue.enqueue tasks.spawn Queue.run_all»
end

return tasks
