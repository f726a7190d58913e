-- Retires a bot, or one version of it. ARGV: bot, field of RETIRED, version (empty where the field is the bot's), actor, reason.
-- Answers 'ok', 'bot' (no such bot) or 'version' (it never connected with that version).
local bot, field = ARGV[1], ARGV[2]
if redis.call('EXISTS', KEY.BOT .. bot) == 0 then return 'bot' end
if field ~= bot and redis.call('HEXISTS', KEY.VERSIONS .. bot, ARGV[3]) == 0 then return 'version' end

redis.call('HSET', KEY.RETIRED, field, cjson.encode({actor = ARGV[4], reason = ARGV[5], at = now_ms()}))
tell_presence()
redis.call('PUBLISH', KEY.LOBBIES, '')
return 'ok'
