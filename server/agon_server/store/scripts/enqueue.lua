-- Queues matches one after the other and reserves a slot for each of their seats: of each match all or nothing.
-- ARGV: fencing token of who pairs (empty: whoever may queue at any time), then for each: match, stream, game, entry (JSON), seats (JSON list of places), facts (JSON), block, index, attempt,
--       block size, deal (the block where it is shared, else empty), dead letter that it replaces (or empty)
-- Answers 'fenced' (there is a newer lease to pair), or for each {'queued'}, {'busy', place}, {'duplicate', match that was queued before}, {'unknown'} (no such dead
--         letter).
if ARGV[1] ~= '' and redis.call('GET', KEY.LADDER_FENCE) ~= ARGV[1] then return 'fenced' end

local now = now_ms()

local function enqueue(match, stream, game, entry, seats, facts, block, index, attempt, size, deal, letter)
  if letter ~= '' and redis.call('HEXISTS', KEY.DEAD, letter) == 0 then return {'unknown'} end
  if redis.call('EXISTS', KEY.MATCH .. match) == 1 or remembered(match) or redis.call('HEXISTS', KEY.DEAD, match) == 1 then
    return {'duplicate', match}
  end
  local place_in_block = index .. '/' .. attempt
  if block ~= '' then
    local other = redis.call('HGET', KEY.PLACES .. block, place_in_block)
    if other then return {'duplicate', other} end
  end

  local needed = {}
  local places = cjson.decode(seats)
  for _, place in ipairs(places) do needed[place] = (needed[place] or 0) + 1 end
  for place, count in pairs(needed) do
    local bot = split_place(place)
    local until_ms = redis.call('ZSCORE', KEY.ONLINE, place)
    local slots, version = unpack(redis.call('HMGET', KEY.PRESENCE .. place, 'slots', 'version'))
    local reserved = redis.call('HGET', KEY.RESERVED, place) or 0
    if not until_ms or tonumber(until_ms) <= now or not slots or tonumber(slots) - tonumber(reserved) < count
      or redis.call('HEXISTS', KEY.BOT .. bot, 'suspended') == 1 or is_retired(bot, version) then
      return {'busy', place}
    end
  end

  if redis.call('EXISTS', stream) == 0 then redis.call('XGROUP', 'CREATE', stream, KEY.GROUP, '0', 'MKSTREAM') end
  local id = redis.call('XADD', stream, '*', 'match', match, 'entry', entry)
  redis.call('SADD', KEY.QUEUES, stream)
  redis.call('HSET', KEY.MATCH .. match, 'stream', stream, 'id', id, 'epoch', 0, 'deliveries', 0, 'progress', 0,
    'seats', seats, 'facts', facts, 'game', game, 'index', index, 'deal', deal, 'queued', now)
  for place, count in pairs(needed) do redis.call('HINCRBY', KEY.RESERVED, place, count) end
  if block ~= '' then
    redis.call('HSET', KEY.PLACES .. block, place_in_block, match)
    redis.call('PEXPIRE', KEY.PLACES .. block, 2592000000)
  end
  -- The deal of a place that is played again is still open, or its last place was settled and it is open no more.
  if deal ~= '' and attempt == '0' then redis.call('HSETNX', KEY.DEAL .. deal, 'size', size) end
  if letter ~= '' then redis.call('HDEL', KEY.DEAD, letter) end
  return {'queued'}
end

local answer = {}
for i = 2, #ARGV, 12 do table.insert(answer, enqueue(unpack(ARGV, i, i + 11))) end
return answer
