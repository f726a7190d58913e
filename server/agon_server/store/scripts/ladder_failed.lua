-- Notes why a ladder is not folded now, or takes the note away (empty). ARGV: token, ladder, reason.
-- Answers 'ok' or 'fenced' (there is a newer lease).
if redis.call('GET', KEY.LADDER_FENCE) ~= ARGV[1] then return 'fenced' end

if ARGV[3] == '' then
  redis.call('HDEL', KEY.TABLE .. ARGV[2], 'failed')
else
  redis.call('HSET', KEY.TABLE .. ARGV[2], 'failed', ARGV[3])
end
return 'ok'
