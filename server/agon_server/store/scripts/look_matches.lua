-- Reads matches of one queue stream, each as it is at one moment. ARGV: stream, id after which to begin, count.
-- Answers for each {id, match, entry (its seed is secret), consumer, idle in ms (-1: not delivered), its state as field
-- and value ...}.
local answer = {}
for _, found in ipairs(redis.call('XRANGE', ARGV[1], '(' .. ARGV[2], '+', 'COUNT', ARGV[3])) do
  local id, fields = found[1], read_fields(found[2])
  local groups = redis.call('XINFO', 'GROUPS', ARGV[1])
  local pending = #groups > 0 and redis.call('XPENDING', ARGV[1], KEY.GROUP, id, id, 1) or {}
  local state = fields.match and redis.call('HGETALL', KEY.MATCH .. fields.match) or {}
  table.insert(answer, {
    id, fields.match or '', fields.entry or '', #pending > 0 and pending[1][2] or '', #pending > 0 and pending[1][3] or -1,
    state,
  })
end
return answer
