-- Reads what pairing watches between two full looks at who is connected.
-- Answers {number of changes so far, bot processes that count as connected now, place and reserved slots ...}.
return {
  tonumber(redis.call('GET', KEY.PRESENCE_CHANGES) or 0),
  redis.call('ZCOUNT', KEY.ONLINE, '(' .. now_ms(), '+inf'),
  redis.call('HGETALL', KEY.RESERVED),
}
