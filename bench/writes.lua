-- wrk: writes. DUET_KIND is `put` (a team's document with its two drivers, three rows changed each
-- time) or `post` (one row). Keys of teams from 1,000 on have the drivers 2n - 1 and 2n.
local kind = os.getenv("DUET_KIND")
local path = os.getenv("DUET_PATH")
local keys = tonumber(os.getenv("DUET_KEYS") or "100000")
local token = os.getenv("DUET_TOKEN") or ""
local headers = { ["Content-Type"] = "application/json" }
if token ~= "" then headers["Authorization"] = "Bearer " .. token end
local seed = tonumber(os.getenv("DUET_SEED") or "1")
local count = 0
math.randomseed(seed)

local put = function()
  local n = math.random(1000, keys)
  local points = math.random(1000000)
  local a, b = 2 * n - 1, 2 * n
  local body = string.format(
    '{"_id":%d,"name":"Team %d","points":%d,"driver":[{"driverId":%d,"name":"Driver %d","points":%d},{"driverId":%d,"name":"Driver %d","points":%d}]}',
    n, n, points, a, a, points, b, b, points)
  return wrk.format("PUT", path .. n, headers, body)
end

local post = function()
  count = count + 1
  local body = string.format('{"name":"New %d %d","points":%d}', seed, count, count)
  return wrk.format("POST", path, headers, body)
end

request = kind == "put" and put or post
