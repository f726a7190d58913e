-- Puts a ruling of an organiser in the results stream, once.
-- ARGV: ladder, its id, kind, actor, why, facts (JSON), what can be done only once (empty: as often as one likes)
-- Answers {'made' | 'repeat', id of its entry}, {'taken', id of the ruling that has done it}, or {'other', id of the entry
-- of another ruling that has its id}.
local key = KEY.RULINGS .. ARGV[1]
local known = redis.call('HGET', key, ARGV[2])
if known then
  local at, kind, told = string.match(known, '^(%S+) (%S+) (.*)$')
  told = cjson.decode(told)
  local same = kind == ARGV[3] and told.actor == ARGV[4] and told.why == ARGV[5] and told.facts == ARGV[6]
  return {same and 'repeat' or 'other', at}
end
local by = ARGV[7] ~= '' and redis.call('HGET', key, ARGV[7])
if by then return {'taken', by} end

local id = redis.call('XADD', KEY.RESULTS, '*', 'kind', ARGV[3], 'ruling', ARGV[2], 'ladder', ARGV[1], 'actor', ARGV[4],
  'why', ARGV[5], 'facts', ARGV[6])
redis.call('HSET', key, ARGV[2],
  id .. ' ' .. ARGV[3] .. ' ' .. cjson.encode({actor = ARGV[4], why = ARGV[5], facts = ARGV[6]}))
if ARGV[7] ~= '' then redis.call('HSET', key, ARGV[7], ARGV[2]) end
return {'made', id}
