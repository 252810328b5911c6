-- wrk: GETs of random keys of random tenants, t{DUET_FIRST} to t{DUET_LAST}. DUET_PATH may hold {x} (1 to DUET_KEYS as twelve
-- hexadecimal digits) and {n} (the same in decimal).
local path = os.getenv("DUET_PATH")
local keys = tonumber(os.getenv("DUET_KEYS"))
local first, last = tonumber(os.getenv("DUET_FIRST")), tonumber(os.getenv("DUET_LAST"))
math.randomseed(tonumber(os.getenv("DUET_SEED") or "1"))

local headers = {}
for number = first, last do
  headers[number] = { ["X-Okapi-Tenant"] = string.format("t%03d", number) }
end

request = function()
  local n = math.random(keys)
  local target = path:gsub("{x}", string.format("%012x", n)):gsub("{n}", tostring(n))
  return wrk.format("GET", target, headers[math.random(first, last)])
end
