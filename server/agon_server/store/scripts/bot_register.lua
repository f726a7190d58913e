-- Registers a bot. ARGV: name, owner, hash of its token, trusted (0 or 1), house (0 or 1). Answers 1, or 0 (name taken).
local key = KEY.BOT .. ARGV[1]
if redis.call('EXISTS', key) == 1 then return 0 end
local now = now_ms()
redis.call('HSET', key, 'owner', ARGV[2], 'token', ARGV[3], 'created', now, 'trusted', ARGV[4], 'house', ARGV[5])
redis.call('ZADD', KEY.BOTS, now, ARGV[1])
redis.call('HSET', KEY.TOKENS, ARGV[3], ARGV[1])
return 1
