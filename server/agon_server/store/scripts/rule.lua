-- Puts a ruling of an organiser in the results stream, once.
-- ARGV: ladder, its id, kind, actor, why, facts (JSON), what can be done only once (empty: as often as one likes)
-- Answers {'made' | 'repeat', id of its entry} or {'taken', id of the ruling that has done it}.
local key = KEY.RULINGS .. ARGV[1]
local known = redis.call('HGET', key, ARGV[2])
if known then return {'repeat', string.match(known, '^%S+')} end
local by = ARGV[7] ~= '' and redis.call('HGET', key, ARGV[7])
if by then return {'taken', by} end

local id = redis.call('XADD', KEY.RESULTS, '*', 'kind', ARGV[3], 'ruling', ARGV[2], 'ladder', ARGV[1], 'actor', ARGV[4],
  'why', ARGV[5], 'facts', ARGV[6])
redis.call('HSET', key, ARGV[2],
  id .. ' ' .. ARGV[3] .. ' ' .. cjson.encode({actor = ARGV[4], why = ARGV[5], facts = ARGV[6]}))
if ARGV[7] ~= '' then redis.call('HSET', key, ARGV[7], ARGV[2]) end
return {'made', id}
