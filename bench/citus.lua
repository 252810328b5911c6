-- wrk: writes of drivers of car-racing. DUET_KIND is `patch` (one column of a row) or `post` (a row with a key of its own).
local kind = os.getenv("DUET_KIND")
local path = os.getenv("DUET_PATH")
local keys = tonumber(os.getenv("DUET_KEYS") or "1000")
local seed = tonumber(os.getenv("DUET_SEED") or "1")
local count = 0
math.randomseed(seed)

local patch = function()
  local n = math.random(keys)
  local body = string.format('{"points":%d}', math.random(1000000))
  return wrk.format("PATCH", path .. n, { ["Content-Type"] = "application/merge-patch+json" }, body)
end

local post = function()
  count = count + 1
  local id = 20000000 + (seed % 2000) * 1000000 + count
  local body = string.format('{"driver_id":%d,"name":"New %d %d","points":%d,"team_id":%d}', id, seed, count, count, math.random(keys))
  return wrk.format("POST", path, { ["Content-Type"] = "application/json" }, body)
end

request = kind == "patch" and patch or post
