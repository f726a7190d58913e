-- Lists a lobby's address and answers all that count as there. ARGV: ms until it counts as gone, address (empty: none).
local now = now_ms()
if ARGV[2] ~= '' then redis.call('ZADD', KEY.LOBBIES, now + ARGV[1], ARGV[2]) end
redis.call('ZREMRANGEBYSCORE', KEY.LOBBIES, '-inf', now)
return redis.call('ZRANGE', KEY.LOBBIES, 0, -1)
