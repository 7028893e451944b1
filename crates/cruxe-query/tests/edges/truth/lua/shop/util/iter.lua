local iter = {}

local function step_over(list, at)
  at = at + 1
  if list[at] ~= nil then
    return at, list[at]
  end
end

function iter.each_of(list)
  return step_over, list, 0 -- «step_over»
end

function iter.map_over(list, f)
  local made = {}
  for at, one in iter.each_of(list) do -- «iter.each_of»
    made[at] = f(one)
  end
  return made
end

function iter.fold_over(list, start, f)
  for _, one in iter.each_of(list) do -- «iter.each_of»
    start = f(start, one)
  end
  return start
end

-- A closure with a variable of its own, which hides the function of its name.
function iter.counter()
  local step_over = 0
  return function()
    step_over = step_over + 1
    return step_over
  end
end

return iter
