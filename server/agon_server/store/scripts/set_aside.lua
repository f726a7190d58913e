-- Notes a result that no ladder could take. ARGV: token, the result's id, what is kept of it (JSON).
-- Answers 'ok' or 'fenced' (there is a newer lease).
if redis.call('GET', KEY.LADDER_FENCE) ~= ARGV[1] then return 'fenced' end

keep(KEY.SET_ASIDE, ARGV[2], ARGV[3])
return 'ok'
