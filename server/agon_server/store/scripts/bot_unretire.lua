-- Takes a retirement back. ARGV: field of RETIRED. Answers 1, or 0 (it was not retired).
if redis.call('HDEL', KEY.RETIRED, ARGV[1]) == 0 then return 0 end
tell_presence()
redis.call('PUBLISH', KEY.LOBBIES, '')
return 1
