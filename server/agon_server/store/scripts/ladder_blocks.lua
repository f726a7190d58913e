-- Writes open blocks, what was played of tournaments, and the cursor of the results that they and the tables rest on
-- (empty: it stays), or nothing.
-- ARGV: token, cursor, number of blocks, then for each its ladder, block, state (empty: gone), 1 where its shared deal may
--       be shown from now on (else 0); then for each match of a tournament its ladder, place and placements.
-- Answers 'ok' or 'fenced' (there is a newer lease).

-- Keeps the line-up of a new block of an endless ladder.
local function remember(ladder, block)
  if block.scheduled ~= '' then return end
  local key = KEY.LINE_UPS .. ladder
  redis.call('RPUSH', key, table.concat(block.bots, ' '))
  redis.call('LTRIM', key, -LINE_UPS_KEPT, -1)
end

if redis.call('GET', KEY.LADDER_FENCE) ~= ARGV[1] then return 'fenced' end

local last = 3 + 4 * tonumber(ARGV[3])
for i = 4, last, 4 do
  if ARGV[i + 2] == '' then
    redis.call('HDEL', KEY.OPEN_BLOCKS .. ARGV[i], ARGV[i + 1])
    -- For a while its places are still known, to a process that has stalled and would queue one of them again.
    redis.call('PEXPIRE', KEY.PLACES .. ARGV[i + 1], 3600000)
  else
    local is_new = redis.call('HSET', KEY.OPEN_BLOCKS .. ARGV[i], ARGV[i + 1], ARGV[i + 2]) == 1
    if is_new then remember(ARGV[i], cjson.decode(ARGV[i + 2])) end
  end
  if ARGV[i + 3] == '1' then redis.call('DEL', KEY.DEAL .. ARGV[i + 1]) end
end
for i = last + 1, #ARGV, 3 do redis.call('HSET', KEY.PLAYED .. ARGV[i], ARGV[i + 1], ARGV[i + 2]) end
if ARGV[2] ~= '' then
  redis.call('SET', KEY.LADDER_CURSOR, ARGV[2])
  advance(KEY.LADDER_READER, ARGV[2])
end
return 'ok'
