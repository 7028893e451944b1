local Queue = {}
Queue.__index = Queue -- «Queue»

function Queue.of_limit(limit) -- «Queue»
  local made = setmetatable({ jobs = {}, limit = limit or Queue.DEFAULT }, Queue) -- «Queue Queue.DEFAULT»
  return made
end

Queue.DEFAULT = 8 -- «Queue»

function Queue:enqueue(job, ...) -- «Queue»
  if self:is_full() then -- «Queue.is_full»
    return nil, "full"
  end
  local rest = { ... }
  self.jobs[#self.jobs + 1] = function() return job(table.unpack(rest)) end
  return self
end

function Queue:is_full() -- «Queue»
  return #self.jobs >= self.limit
end

function Queue:run_all() -- «Queue»
  while #self.jobs > 0 do
    local job = table.remove(self.jobs, 1)
    job()
  end
end

return Queue -- «Queue»
