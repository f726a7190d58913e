-- What several scripts need. KEY holds the names of all keys (keys.py documents them).

local function now_ms()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end

-- Reads a hash as a table; nil where there is none.
local function read_hash(key)
  local flat = redis.call('HGETALL', key)
  if #flat == 0 then return nil end
  local hash = {}
  for i = 1, #flat, 2 do hash[flat[i]] = flat[i + 1] end
  return hash
end

-- Reads a stream entry's fields (a flat list) as a table.
local function read_fields(flat)
  local fields = {}
  for i = 1, #flat, 2 do fields[flat[i]] = flat[i + 1] end
  return fields
end

-- Splits a place into bot and instance.
local function split_place(place)
  local slash = string.find(place, '/', 1, true)
  return string.sub(place, 1, slash - 1), string.sub(place, slash + 1)
end

-- Reads the places of a state; none where they cannot be read.
local function places_of(seats)
  local read, places = pcall(cjson.decode, seats or '')
  if not read or type(places) ~= 'table' then return {} end
  for _, place in ipairs(places) do
    if type(place) ~= 'string' or not string.find(place, '/', 1, true) then return {} end
  end
  return places
end

-- Tells whether a bot, or this version of it, is retired.
local function is_retired(bot, version)
  return redis.call('HEXISTS', KEY.RETIRED, bot) == 1
    or redis.call('HEXISTS', KEY.RETIRED, bot .. '/' .. (version or '')) == 1
end

-- Tells those who pair that somebody came, went, changed its slots or was retired.
local function tell_presence()
  redis.call('PUBLISH', KEY.PRESENCE_CHANGES, redis.call('INCR', KEY.PRESENCE_CHANGES))
end

-- Puts the seats of a match in the index of running matches.
local function enter_running(match, places, owner, address, epoch, game)
  local where = cjson.encode({owner = owner, address = address, epoch = tonumber(epoch), game = game, seats = #places})
  for seat, place in ipairs(places) do
    local bot, instance = split_place(place)
    redis.call('HSET', KEY.RUNNING .. bot, instance .. '/' .. match .. '/' .. (seat - 1), where)
  end
end

-- Takes the seats of a match out of the index of running matches.
local function leave_running(match, places)
  for seat, place in ipairs(places) do
    local bot, instance = split_place(place)
    redis.call('HDEL', KEY.RUNNING .. bot, instance .. '/' .. match .. '/' .. (seat - 1))
  end
end

-- Ends a match for the queue: its entry, its slots, its place in the index of running matches, its state and journal.
local function retire(match, state)
  redis.call('XACK', state.stream, KEY.GROUP, state.id)
  redis.call('XDEL', state.stream, state.id)
  local places = cjson.decode(state.seats)
  for _, place in ipairs(places) do
    if redis.call('HINCRBY', KEY.RESERVED, place, -1) <= 0 then redis.call('HDEL', KEY.RESERVED, place) end
  end
  leave_running(match, places)
  redis.call('DEL', KEY.MATCH .. match, KEY.JOURNAL .. match)
end

-- Writes the one result of a match, its record beside it, and remembers it for a day against a second one.
local function write_result(match, state, result)
  local id = redis.call('XADD', KEY.RESULTS, '*', 'kind', result.kind, 'match', match, 'facts', state.facts,
    'termination', result.termination, 'rated', result.rated or '0', 'again', result.again or '0',
    'server', state.owner or '', 'epoch', state.epoch, 'reason', result.reason or '',
    'hash', result.hash or '', 'outcome', result.outcome or '')
  if result.record then redis.call('SET', KEY.RECORD .. id, result.record) end
  redis.call('SET', KEY.RESULT .. match, result.kind .. ' ' .. id .. ' ' .. (result.hash or '-'), 'PX', 86400000)
end

local KINDS = {played = true, dead = true, cancelled = true}

-- Returns kind and hash of the result of a match as `write_result` remembers it; nil where it does not, or where nobody
-- understands what stands there.
local function remembered(match)
  local told = redis.pcall('GET', KEY.RESULT .. match)
  if type(told) ~= 'string' then return nil end
  local kind, hash = string.match(told, '^(%l+) %d+%-%d+ (.*)$')
  if kind and KINDS[kind] then return kind, hash end
  return nil
end

-- Marks a place of a shared deal as played for good. The deal's key goes with the last one.
local function settle(state)
  if state.deal == '' then return end
  local key = KEY.DEAL .. state.deal
  if redis.call('EXISTS', key) == 0 then return end
  redis.call('HSET', key, state.index, 1)
  if redis.call('HLEN', key) > tonumber(redis.call('HGET', key, 'size')) then redis.call('DEL', key) end
end

-- Keeps what went wrong under a name, or counts it as dropped where too much is kept already.
local function keep(key, name, value)
  if redis.call('HLEN', key) >= KEPT and redis.call('HEXISTS', key, name) == 0 then
    redis.call('HINCRBY', KEY.DROPPED, key, 1)
  else
    redis.call('HSET', key, name, value)
  end
end

-- Makes a dead letter of a queued match.
local function bury(match, state, entry, reason)
  write_result(match, state, {kind = 'dead', termination = 'infrastructure', reason = reason})
  keep(KEY.DEAD, match,
    cjson.encode({entry = entry, reason = reason, when = now_ms(), epoch = tonumber(state.epoch)}))
  retire(match, state)
end

-- Splits an id of a stream into numbers, which compare.
local function order(id)
  local ms, number = string.match(id, '^(%d+)-(%d+)$')
  return tonumber(ms), tonumber(number)
end

-- Moves the cursor of a reader of the results forward, never back.
local function advance(reader, cursor)
  local ms, number = order(cursor)
  local old_ms, old_number = order(redis.call('HGET', KEY.READERS, reader) or '0-0')
  if ms > old_ms or (ms == old_ms and number > old_number) then redis.call('HSET', KEY.READERS, reader, cursor) end
end

-- Keeps the table of a season that is over.
local function write_season(ladder, label, about, table)
  redis.call('HSET', KEY.SEASONS .. ladder, label, about)
  redis.call('SET', KEY.SEASON .. ladder .. ':' .. label, table)
end
