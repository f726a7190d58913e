-- Lists a lobby's address and answers all that count as there. ARGV: ms until it counts as gone, address (empty: none).
local now = now_ms()
local changed = redis.call('ZREMRANGEBYSCORE', KEY.LOBBIES, '-inf', now)
if ARGV[2] ~= '' then changed = changed + redis.call('ZADD', KEY.LOBBIES, now + ARGV[1], ARGV[2]) end
if changed > 0 then redis.call('PUBLISH', KEY.LOBBIES, '') end
return redis.call('ZRANGE', KEY.LOBBIES, 0, -1)
