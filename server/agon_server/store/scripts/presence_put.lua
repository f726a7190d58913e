-- Enters a bot process. ARGV: place, ms until it counts as gone, then field and value ...
local key = KEY.PRESENCE .. ARGV[1]
redis.call('DEL', key)
redis.call('HSET', key, unpack(ARGV, 3))
redis.call('ZADD', KEY.ONLINE, now_ms() + ARGV[2], ARGV[1])
tell_presence()
