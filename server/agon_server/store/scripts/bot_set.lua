-- Changes fields of a bot. ARGV: name, then field and value ...; an empty value removes the field, `NOW` is the time.
-- Answers 1, or 0 (no such bot).
local key = KEY.BOT .. ARGV[1]
if redis.call('EXISTS', key) == 0 then return 0 end
for i = 2, #ARGV, 2 do
  if ARGV[i + 1] == '' then
    redis.call('HDEL', key, ARGV[i])
  else
    redis.call('HSET', key, ARGV[i], ARGV[i + 1] == 'NOW' and now_ms() or ARGV[i + 1])
  end
end
return 1
