-- Tells whether matches of a block are left to play, wait or run. ARGV: block, ladder. Answers 1 or 0.
if redis.call('HEXISTS', KEY.OPEN_BLOCKS .. ARGV[2], ARGV[1]) == 1 then return 1 end
for _, match in ipairs(redis.call('HVALS', KEY.PLACES .. ARGV[1])) do
  if redis.call('EXISTS', KEY.MATCH .. match) == 1 then return 1 end
end
return 0
