-- Takes a bot process out. ARGV: place, token. Answers 1, or 0 (replaced).
local key = KEY.PRESENCE .. ARGV[1]
if redis.call('HGET', key, 'token') ~= ARGV[2] then return 0 end
redis.call('DEL', key)
redis.call('ZREM', KEY.ONLINE, ARGV[1])
tell_presence()
return 1
