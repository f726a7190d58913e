-- Puts a rebuilt table in the place of the live one. Its rating rows lie ready under a key of their own.
-- ARGV: ladder, generation, position of the live table, position of the rebuilt one, results, seats, system, season, the
--       key of the rating rows, then three counted lists: bot, row ...; block, state ...; label, about, table of a season
--       that is over ...
-- Answers 'ok', or 'moved' where the live table has gone on since it was compared.
local ladder = ARGV[1]
local facts = redis.call('HMGET', KEY.TABLE .. ladder, 'generation', 'position', 'failed')
if (facts[1] or '0') ~= ARGV[2] or (facts[2] or '0-0') ~= ARGV[3] then return 'moved' end

redis.call('DEL', KEY.STANDING .. ladder, KEY.PARTIAL .. ladder, KEY.TABLE .. ladder)
for _, label in ipairs(redis.call('HKEYS', KEY.SEASONS .. ladder)) do
  redis.call('DEL', KEY.SEASON .. ladder .. ':' .. label)
end
redis.call('DEL', KEY.SEASONS .. ladder)
local at = 10
for _, key in ipairs({KEY.STANDING, KEY.PARTIAL}) do
  local count = tonumber(ARGV[at])
  for i = at + 1, at + 2 * count, 2 do redis.call('HSET', key .. ladder, ARGV[i], ARGV[i + 1]) end
  at = at + 1 + 2 * count
end
for i = at + 1, at + 3 * tonumber(ARGV[at]), 3 do write_season(ladder, ARGV[i], ARGV[i + 1], ARGV[i + 2]) end
redis.call('HSET', KEY.TABLE .. ladder, 'generation', ARGV[2] + 1, 'position', ARGV[4], 'results', ARGV[5],
  'seats', ARGV[6], 'system', ARGV[7], 'season', ARGV[8])
-- It stays failed until it is caught up: the results that it lacks are behind the cursor, and only a fold that knows of
-- them goes back for them.
if facts[3] then redis.call('HSET', KEY.TABLE .. ladder, 'failed', facts[3]) end
redis.call('UNLINK', KEY.RATINGS .. ladder .. ':' .. ARGV[2])
local rows = KEY.RATINGS .. ladder .. ':' .. (ARGV[2] + 1)
redis.call('DEL', rows)
if redis.call('EXISTS', ARGV[9]) == 1 then
  redis.call('RENAME', ARGV[9], rows)
  redis.call('PERSIST', rows)
end
return 'ok'
