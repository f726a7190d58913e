-- Changes the slots of a bot process. ARGV: place, token, slots. Answers 1, or 0 (replaced).
local key = KEY.PRESENCE .. ARGV[1]
if redis.call('HGET', key, 'token') ~= ARGV[2] then return 0 end
redis.call('HSET', key, 'slots', ARGV[3])
tell_presence()
return 1
