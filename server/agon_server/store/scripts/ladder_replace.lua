-- Puts a rebuilt table in the place of the live one. Its rating rows lie ready under the next generation.
-- ARGV: ladder, generation, position of the live table, position of the rebuilt one, results, seats, system,
--       then two counted lists: bot, row ...; block, state ...
-- Answers 'ok', or 'moved' where the live table has gone on since it was compared.
local ladder = ARGV[1]
local facts = redis.call('HMGET', KEY.TABLE .. ladder, 'generation', 'position')
if (facts[1] or '0') ~= ARGV[2] or (facts[2] or '0-0') ~= ARGV[3] then return 'moved' end

redis.call('DEL', KEY.STANDING .. ladder, KEY.PARTIAL .. ladder, KEY.TABLE .. ladder)
local at = 8
for _, key in ipairs({KEY.STANDING, KEY.PARTIAL}) do
  local count = tonumber(ARGV[at])
  for i = at + 1, at + 2 * count, 2 do redis.call('HSET', key .. ladder, ARGV[i], ARGV[i + 1]) end
  at = at + 1 + 2 * count
end
redis.call('HSET', KEY.TABLE .. ladder, 'generation', ARGV[2] + 1, 'position', ARGV[4], 'results', ARGV[5],
  'seats', ARGV[6], 'system', ARGV[7])
redis.call('UNLINK', KEY.RATINGS .. ladder .. ':' .. ARGV[2])
return 'ok'
