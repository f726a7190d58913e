-- Moves a reader's cursor forward, never back. ARGV: reader, cursor.
local function order(id)
  local ms, number = string.match(id, '^(%d+)-(%d+)$')
  return tonumber(ms), tonumber(number)
end

local ms, number = order(ARGV[2])
local old_ms, old_number = order(redis.call('HGET', KEY.READERS, ARGV[1]) or '0-0')
if ms > old_ms or (ms == old_ms and number > old_number) then redis.call('HSET', KEY.READERS, ARGV[1], ARGV[2]) end
