-- Enters a bot process. ARGV: place, ms until it counts as gone, then field and value ..., `version` among them.
local VERSIONS_KEPT = 64

-- Returns the number of a bot's version: versions are numbered in the order in which they first came.
local function number_of(bot, version)
  local key = KEY.VERSIONS .. bot
  local known = redis.call('HGET', key, version)
  if known then return known end

  local flat = redis.call('HGETALL', key)
  local newest, oldest, least = 0, nil, nil
  for i = 1, #flat, 2 do
    local number = tonumber(flat[i + 1])
    newest = math.max(newest, number)
    if not least or number < least then oldest, least = flat[i], number end
  end
  if #flat / 2 >= VERSIONS_KEPT then redis.call('HDEL', key, oldest) end
  redis.call('HSET', key, version, newest + 1)
  return newest + 1
end

local key = KEY.PRESENCE .. ARGV[1]
local bot = split_place(ARGV[1])
local version = read_fields({unpack(ARGV, 3)}).version
redis.call('DEL', key)
redis.call('HSET', key, 'version_number', number_of(bot, version), unpack(ARGV, 3))
redis.call('ZADD', KEY.ONLINE, now_ms() + ARGV[2], ARGV[1])
tell_presence()
