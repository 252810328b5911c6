-- wrk: GETs of random keys. DUET_PATH may hold {n} (1 to DUET_KEYS), {6} and {15} (the same in six and in 15 digits),
-- {x} (the same as twelve hexadecimal digits) and {m} (its last digit).
local path = os.getenv("DUET_PATH")
local keys = tonumber(os.getenv("DUET_KEYS") or "100000")
local token = os.getenv("DUET_TOKEN") or ""
local headers = {}
if token ~= "" then headers["Authorization"] = "Bearer " .. token end
math.randomseed(tonumber(os.getenv("DUET_SEED") or "1"))

request = function()
  local n = math.random(keys)
  local target = path:gsub("{n}", tostring(n)):gsub("{6}", string.format("%06d", n))
  target = target:gsub("{15}", string.format("%015d", n))
  target = target:gsub("{x}", string.format("%012x", n)):gsub("{m}", tostring(n % 10))
  return wrk.format("GET", target, headers)
end
