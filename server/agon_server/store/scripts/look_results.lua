-- Reads how the results stream, its readers and the ladders stand to each other at one moment.
-- Answers {now, length, id of the oldest result, last id ever made, newest id that was trimmed, ladder lease, ms that it
-- still holds, ladder cursor, id of the first result behind the cursor (empty: none), readers as name and cursor ...}.
local length, oldest, last, trimmed = 0, '', '0-0', '0-0'
local cursor = redis.call('GET', KEY.LADDER_CURSOR) or '0-0'
local waiting = ''
if redis.call('EXISTS', KEY.RESULTS) == 1 then
  local about = read_fields(redis.call('XINFO', 'STREAM', KEY.RESULTS))
  length, last, trimmed = about.length, about['last-generated-id'], about['max-deleted-entry-id']
  local first = redis.call('XRANGE', KEY.RESULTS, '-', '+', 'COUNT', 1)
  if #first > 0 then oldest = first[1][1] end
  local behind = redis.call('XRANGE', KEY.RESULTS, '(' .. cursor, '+', 'COUNT', 1)
  if #behind > 0 then waiting = behind[1][1] end
end
return {
  now_ms(), length, oldest, last, trimmed, redis.call('GET', KEY.LADDER_LEASE) or '', redis.call('PTTL', KEY.LADDER_LEASE),
  cursor, waiting, redis.call('HGETALL', KEY.READERS),
}
