-- Adds lines to a bot's private log; beyond the cap the oldest go. ARGV: bot, cap in bytes, lines ...
local key, size = KEY.NOTES .. ARGV[1], KEY.NOTES_SIZE .. ARGV[1]
local bytes = tonumber(redis.call('HGET', size, 'bytes') or 0)
for i = 3, #ARGV do
  redis.call('RPUSH', key, ARGV[i])
  bytes = bytes + #ARGV[i] + 1
end
local cut = 0
while bytes > tonumber(ARGV[2]) do
  local gone = #redis.call('LPOP', key) + 1
  bytes, cut = bytes - gone, cut + gone
end
redis.call('HSET', size, 'bytes', bytes)
if cut > 0 then redis.call('HINCRBY', size, 'cut', cut) end
