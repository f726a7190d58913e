-- Writes again what a referee knows of its running matches, after the store may have lost its last moments.
-- ARGV: server, address, the installation's mark (empty: not known), then for each match: match, stream, game, entry
--       (JSON), seats (JSON list of places), facts (JSON), block, index, attempt, block size, deal, dead letter (always
--       empty; these are as in `enqueue`), id in its stream, epoch, deliveries, servers, how many lines its journal has,
--       and these.
-- Answers for each {its id in the stream, which may be another one now}, or {'', why it is another's or over}; nothing
--         but {} where the store is not the installation's any more.
local server, address = ARGV[1], ARGV[2]
if ARGV[3] ~= '' and redis.call('GET', KEY.INSTALLATION) ~= ARGV[3] then return {} end

local function restore(match, stream, game, entry, seats, facts, block, index, attempt, size, deal, _,
    id, epoch, deliveries, servers, lines, first)
  if remembered(match) then return {'', 'it has a result'} end
  if redis.call('HEXISTS', KEY.DEAD, match) == 1 then return {'', 'it is a dead letter'} end
  local key, journal = KEY.MATCH .. match, KEY.JOURNAL .. match
  local state, places = read_hash(key), cjson.decode(seats)
  if state then
    local stored = tonumber(state.epoch)
    if stored > tonumber(epoch) then return {'', 'another delivery has begun'} end
    if stored == tonumber(epoch) and state.owner ~= server then return {'', 'it was given to another server'} end
    id = state.id
  else
    state = {epoch = 0}
    local place_in_block = index .. '/' .. attempt
    if block ~= '' then
      local other = redis.call('HGET', KEY.PLACES .. block, place_in_block)
      if other and other ~= match then return {'', 'its place in the block is played by another match'} end
      redis.call('HSET', KEY.PLACES .. block, place_in_block, match)
      redis.call('PEXPIRE', KEY.PLACES .. block, 2592000000)
    end
    if deal ~= '' and attempt == '0' then redis.call('HSETNX', KEY.DEAL .. deal, 'size', size) end
    for _, place in ipairs(places) do redis.call('HINCRBY', KEY.RESERVED, place, 1) end
    redis.call('SADD', KEY.QUEUES, stream)
    id = redis.call('XADD', stream, '*', 'match', match, 'entry', entry)
    redis.call('HSET', key, 'stream', stream, 'id', id, 'progress', 0, 'seats', seats, 'facts', facts, 'game', game,
      'index', index, 'deal', deal, 'queued', now_ms())
  end

  local is_held = tonumber(state.epoch) == tonumber(epoch)
  local kind = redis.call('TYPE', journal).ok
  local is_same = kind == 'list' or kind == 'none'
  local length = is_same and redis.call('LLEN', journal) or 0
  for i, line in ipairs(is_same and lines > 0 and redis.call('LRANGE', journal, 0, lines - 1) or {}) do
    is_same = is_same and line == ARGV[first + i - 1]
  end
  -- What is held may have gone on while this call was on its way.
  if not is_same or (length > lines and not is_held) then
    -- What an earlier delivery has written into the gap is older than what this one knows.
    if is_held then return {'', 'its journal is not what was written here'} end
    redis.call('DEL', journal)
    length = 0
  end
  for i = first + length, first + lines - 1 do redis.call('RPUSH', journal, ARGV[i]) end
  redis.call('HSET', key, 'epoch', epoch, 'deliveries', deliveries, 'owner', server, 'address', address,
    'servers', servers)
  if redis.call('HEXISTS', key, 'journal') == 0 then redis.call('HSET', key, 'journal', 0) end
  if #redis.call('XINFO', 'GROUPS', stream) == 0 then redis.call('XGROUP', 'CREATE', stream, KEY.GROUP, '0') end
  redis.call('XCLAIM', stream, KEY.GROUP, server, 0, id, 'FORCE', 'JUSTID')
  enter_running(match, places, server, address, epoch, game)
  return {id}
end

local answer, i = {}, 4
while i <= #ARGV do
  local arguments = {unpack(ARGV, i, i + 15)}
  local lines = tonumber(ARGV[i + 16])
  arguments[17], arguments[18] = lines, i + 17
  table.insert(answer, restore(unpack(arguments, 1, 18)))
  i = i + 17 + lines
end
return answer
