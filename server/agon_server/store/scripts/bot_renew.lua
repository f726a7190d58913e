-- Replaces a bot's token. ARGV: name, hash of the new token. Answers 1, or 0 (no such bot).
local key = KEY.BOT .. ARGV[1]
local old = redis.call('HGET', key, 'token')
if not old then return 0 end
redis.call('HSET', key, 'token', ARGV[2])
redis.call('HDEL', KEY.TOKENS, old)
redis.call('HSET', KEY.TOKENS, ARGV[2], ARGV[1])
return 1
