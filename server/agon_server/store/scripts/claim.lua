-- Takes matches, up to a number: own ones from before a restart, then those with an expired lease, then new ones.
-- ARGV: server, address, lease in ms, most deliveries, how many, then for each stream its name and the cursor of the own
--       ones (the id after which they are still to be taken; empty: they have been)
-- Answers {1 where all own ones have been taken, {taken ...}, {last id of the first stream, of the second ...}}; taken is
--         {'claim', stream, id, match, epoch, deliveries, entry, servers, {its journal}} or
--         {'dead', stream, id, match, epoch, reason, entry}; last ids are given only where nothing is left to
--         take.
local server, address, lease, most, wanted = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5])

-- An entry that is not in the state in which a script leaves one: there are no slots to free and no state to take back.
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
  local journal = KEY.JOURNAL .. match
  if remembered(match) then
    leave_running(match, cjson.decode(state.seats))
    redis.call('DEL', KEY.MATCH .. match, journal)
    return bury_stray(stream, id, match .. '@' .. id, entry, 'the match is over: it has a result already')
  end

  local epoch = tonumber(state.epoch) + 1
  state.epoch = epoch
  local kind = redis.call('TYPE', journal).ok
  if kind ~= 'list' and kind ~= 'none' then
    local reason = 'its journal is no list, but a ' .. kind
    bury(match, state, entry, reason)
    return {'dead', stream, id, match, epoch, reason, entry}
  end

  -- What has been accepted since the last delivery is progress.
  local length, known = redis.call('LLEN', journal), tonumber(state.journal or 0)
  local deliveries = length > known and 1 or tonumber(state.deliveries) + 1
  if deliveries > most then
    local reason = 'delivered ' .. most .. ' times without progress'
    bury(match, state, entry, reason)
    return {'dead', stream, id, match, epoch, reason, entry}
  end

  local servers = length > 0 and state.servers or server
  if servers ~= server and string.sub(servers, -#server - 1) ~= ' ' .. server then servers = servers .. ' ' .. server end
  redis.call('HSET', KEY.MATCH .. match, 'epoch', epoch, 'deliveries', deliveries, 'journal', math.max(length, known),
    'owner', server, 'address', address, 'servers', servers)
  enter_running(match, cjson.decode(state.seats), server, address, epoch, state.game)
  return {'claim', stream, id, match, epoch, deliveries, entry, servers, redis.call('LRANGE', journal, 0, -1)}
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

local streams, cursors, taken = {}, {}, {}
for i = 6, #ARGV, 2 do
  if redis.call('EXISTS', ARGV[i]) == 1 then
    table.insert(streams, ARGV[i])
    cursors[ARGV[i]] = ARGV[i + 1]
    local groups = redis.call('XINFO', 'GROUPS', ARGV[i])
    if #groups == 0 then redis.call('XGROUP', 'CREATE', ARGV[i], KEY.GROUP, '0') end
  end
end

for _, stream in ipairs(streams) do
  local cursor = cursors[stream]
  while cursor ~= '' do
    if #taken == wanted then return {0, taken, {}} end
    local one = take_pending(stream, '(' .. cursor, '+', 1, server)
    if not one then break end
    table.insert(taken, one)
    cursor = one[3]
  end
end
for _, stream in ipairs(streams) do
  while #taken < wanted do
    local one = take_pending(stream, 'IDLE', lease, '-', '+', 1)
    if not one then break end
    table.insert(taken, one)
  end
end
for _, stream in ipairs(streams) do
  while #taken < wanted do
    local read = redis.call('XREADGROUP', 'GROUP', KEY.GROUP, server, 'COUNT', wanted - #taken, 'STREAMS', stream, '>')
    if not read then break end
    for _, found in ipairs(read[1][2]) do
      local id, fields = found[1], read_fields(found[2])
      local state = fields.match and read_hash(KEY.MATCH .. fields.match)
      if state and state.owner and state.id == id then
        -- Its owner has written its claim again after the store had lost it, and with it that it was delivered.
        redis.call('XCLAIM', stream, KEY.GROUP, state.owner, 0, id, 'JUSTID')
      else
        table.insert(taken, take(stream, id, fields))
      end
    end
  end
end

local last_ids = {}
for i = 6, #ARGV, 2 do
  if #taken == wanted then break end
  local last = '0-0'
  if redis.call('EXISTS', ARGV[i]) == 1 then
    local about = redis.call('XINFO', 'STREAM', ARGV[i])
    for j = 1, #about, 2 do
      if about[j] == 'last-generated-id' then last = about[j + 1] end
    end
  end
  table.insert(last_ids, last)
end
return {1, taken, last_ids}
