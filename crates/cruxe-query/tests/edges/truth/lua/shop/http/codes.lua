local codes = {
  OK = 200,
  FAILED = 500,
}

function codes.is_ok(code)
  return code == codes.OK -- «codes.OK»
end

codes.texts = {
  [codes.OK] = "ok", -- «codes.OK»
}

return codes
