-- Lists entries of one queue stream without their seeds. ARGV: stream, id after which to begin, count.
-- Answers for each {id, match, idle in ms (-1: not delivered), then field and value of its state ...}.
local answer = {}
for _, found in ipairs(redis.call('XRANGE', ARGV[1], '(' .. ARGV[2], '+', 'COUNT', ARGV[3])) do
  local id, match = found[1], read_fields(found[2]).match or ''
  local pending = redis.call('XPENDING', ARGV[1], KEY.GROUP, id, id, 1)
  local row = {id, match, #pending > 0 and pending[1][3] or -1}
  for _, item in ipairs(redis.call('HGETALL', KEY.MATCH .. match)) do table.insert(row, item) end
  table.insert(answer, row)
end
return answer
