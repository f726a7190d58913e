-- Gives a match back. ARGV: server, match, epoch. Answers 1, or 0 where the claim was lost.
local server, match, epoch = ARGV[1], ARGV[2], ARGV[3]
local key = KEY.MATCH .. match
local state = read_hash(key)
if not state or state.owner ~= server or state.epoch ~= epoch then return 0 end

redis.call('HDEL', key, 'owner', 'address')
redis.call('HSET', key, 'deliveries', math.max(0, tonumber(state.deliveries) - 1))
leave_running(match, cjson.decode(state.seats))
-- Idle for ten days: beyond any lease, so the next claim takes it.
redis.call('XCLAIM', state.stream, KEY.GROUP, server, 0, state.id, 'IDLE', 864000000, 'JUSTID')
return 1
