-- Writes what folding a batch of results changed: position, rows of the table, blocks and rating rows, or nothing.
-- ARGV: token, ladder, generation, position before, position after, results, seats, system, season, how many rating rows
--       are kept, then four counted lists: bot, row ...; block, state (empty: gone) ...; result id, match, rating rows
--       ...; label, about, table of a season that is over ...
-- Answers 'ok', 'fenced' (there is a newer lease) or 'moved' (the table is not where the caller thought).
local ladder, generation = ARGV[2], ARGV[3]
if redis.call('GET', KEY.LADDER_FENCE) ~= ARGV[1] then return 'fenced' end
local facts = redis.call('HMGET', KEY.TABLE .. ladder, 'generation', 'position')
if (facts[1] or '0') ~= generation or (facts[2] or '0-0') ~= ARGV[4] then return 'moved' end

local at = 11
-- Calls `write` with each `width` values of the next counted list.
local function each(width, write)
  local count = tonumber(ARGV[at])
  at = at + 1
  for _ = 1, count do
    write(ARGV[at], ARGV[at + 1], ARGV[at + 2])
    at = at + width
  end
end

local function write_bot(bot, row) redis.call('HSET', KEY.STANDING .. ladder, bot, row) end
local function write_block(block, state)
  if state == '' then
    redis.call('HDEL', KEY.PARTIAL .. ladder, block)
  else
    redis.call('HSET', KEY.PARTIAL .. ladder, block, state)
  end
end
local function write_rows(id, match, rows)
  redis.call('XADD', KEY.RATINGS .. ladder .. ':' .. generation, 'MAXLEN', ARGV[10], id, 'match', match, 'rows', rows)
end

-- The rating rows come first: an id that is not above the last one is the only thing that can fail here.
local lists = at
local bots = tonumber(ARGV[lists])
local blocks = tonumber(ARGV[lists + 1 + 2 * bots])
local rows = lists + 2 + 2 * bots + 2 * blocks
at = rows
each(3, write_rows)
each(3, function(label, about, table) write_season(ladder, label, about, table) end)
at = lists
each(2, write_bot)
each(2, write_block)
redis.call('HSET', KEY.TABLE .. ladder, 'generation', generation, 'position', ARGV[5], 'results', ARGV[6],
  'seats', ARGV[7], 'system', ARGV[8], 'season', ARGV[9])
return 'ok'
