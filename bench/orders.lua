-- wrk: GETs of lists of the sample orders. DUET_PATH may hold {n}, the number of an order: the first is 10000, and there are DUET_KEYS.
local path = os.getenv("DUET_PATH")
local keys = tonumber(os.getenv("DUET_KEYS") or "5000")
local token = os.getenv("DUET_TOKEN") or ""
local headers = {}
if token ~= "" then headers["Authorization"] = "Bearer " .. token end
math.randomseed(tonumber(os.getenv("DUET_SEED") or "1"))

request = function()
  local target = path:gsub("{n}", tostring(9999 + math.random(keys)))
  return wrk.format("GET", target, headers)
end
