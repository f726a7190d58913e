-- Takes one match: own ones from before a restart, then those with an expired lease, then new ones.
-- ARGV: server, address, lease in ms, most deliveries, then for each stream its name and the cursor of the own ones
--       (the id after which they are still to be taken; empty: they have been)
-- Answers {'own' | 'next', taken} where taken is {'claim', stream, id, match, epoch, deliveries, entry} or
--         {'dead', stream, id, match, epoch, reason, entry}; else {'none', last id of the first stream, of the second ...}.
local server, address, lease, most = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4])

-- An entry that no script has queued: there are no slots and no state to take back.
local function bury_stray(stream, id, match, entry, reason)
  keep(KEY.DEAD, match, cjson.encode({entry = entry, reason = reason, when = now_ms(), epoch = 0}))
  redis.call('XACK', stream, KEY.GROUP, id)
  redis.call('XDEL', stream, id)
  return {'dead', stream, id, match, 0, reason, entry}
end

local function take(stream, id, fields)
  local match, entry = fields.match, fields.entry or ''
  if not match then return bury_stray(stream, id, id, entry, 'the entry names no match') end
  local state = read_hash(KEY.MATCH .. match)
  if not state or state.id ~= id or state.stream ~= stream then
    return bury_stray(stream, id, match .. '@' .. id, entry, 'the entry was not put here by the queue')
  end

  local epoch, deliveries = tonumber(state.epoch) + 1, tonumber(state.deliveries) + 1
  state.epoch = epoch
  if deliveries > most then
    local reason = 'delivered ' .. most .. ' times without progress'
    bury(match, state, entry, reason)
    return {'dead', stream, id, match, epoch, reason, entry}
  end

  redis.call('HSET', KEY.MATCH .. match, 'epoch', epoch, 'deliveries', deliveries, 'owner', server, 'address', address)
  local places = cjson.decode(state.seats)
  local where = cjson.encode({owner = server, address = address, epoch = epoch, game = state.game, seats = #places})
  for seat, place in ipairs(places) do
    local bot, instance = split_place(place)
    redis.call('HSET', KEY.RUNNING .. bot, instance .. '/' .. match .. '/' .. (seat - 1), where)
  end
  return {'claim', stream, id, match, epoch, deliveries, entry}
end

-- Takes the first pending entry that XPENDING names with these arguments; nil where there is none.
local function take_pending(stream, ...)
  while true do
    local pending = redis.call('XPENDING', stream, KEY.GROUP, ...)
    if #pending == 0 then return nil end
    local id = pending[1][1]
    local found = redis.call('XRANGE', stream, id, id)
    if #found > 0 then
      redis.call('XCLAIM', stream, KEY.GROUP, server, 0, id, 'JUSTID')
      return take(stream, id, read_fields(found[1][2]))
    end
    redis.call('XACK', stream, KEY.GROUP, id) -- deleted by somebody else
  end
end

local streams, cursors = {}, {}
for i = 5, #ARGV, 2 do
  if redis.call('EXISTS', ARGV[i]) == 1 then
    table.insert(streams, ARGV[i])
    cursors[ARGV[i]] = ARGV[i + 1]
    local groups = redis.call('XINFO', 'GROUPS', ARGV[i])
    if #groups == 0 then redis.call('XGROUP', 'CREATE', ARGV[i], KEY.GROUP, '0') end
  end
end

for _, stream in ipairs(streams) do
  if cursors[stream] ~= '' then
    local taken = take_pending(stream, '(' .. cursors[stream], '+', 1, server)
    if taken then return {'own', taken} end
  end
end
for _, stream in ipairs(streams) do
  local taken = take_pending(stream, 'IDLE', lease, '-', '+', 1)
  if taken then return {'next', taken} end
end
for _, stream in ipairs(streams) do
  local read = redis.call('XREADGROUP', 'GROUP', KEY.GROUP, server, 'COUNT', 1, 'STREAMS', stream, '>')
  if read then
    local found = read[1][2][1]
    return {'next', take(stream, found[1], read_fields(found[2]))}
  end
end

local answer = {'none'}
for i = 5, #ARGV, 2 do
  local last = '0-0'
  if redis.call('EXISTS', ARGV[i]) == 1 then
    local about = redis.call('XINFO', 'STREAM', ARGV[i])
    for j = 1, #about, 2 do
      if about[j] == 'last-generated-id' then last = about[j + 1] end
    end
  end
  table.insert(answer, last)
end
return answer
