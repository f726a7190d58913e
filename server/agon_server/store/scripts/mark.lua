-- Looks whether the store still is the one of this installation, and whether it can be written to.
-- ARGV: the installation's mark as it is known (empty: not yet), a new one.
-- Answers the mark that the store has now: another than the known one where it was emptied, or is another one; and 1
-- where the mark alone was gone (evicted) and is put back.
local known, new = ARGV[1], ARGV[2]
if known ~= '' and redis.call('EXISTS', KEY.INSTALLATION) == 0 and redis.call('EXISTS', KEY.LADDERS_MADE) == 1 then
  redis.call('SET', KEY.INSTALLATION, known)
  return {known, 1}
end

-- Changes nothing where there is a mark, but is refused, as any write, by a server that takes none.
redis.call('SET', KEY.INSTALLATION, new, 'NX')
return {redis.call('GET', KEY.INSTALLATION), 0}
