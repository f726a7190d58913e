-- Takes a server out of the consumer groups in which it has nothing pending. ARGV: server.
for _, stream in ipairs(redis.call('SMEMBERS', KEY.QUEUES)) do
  if redis.call('EXISTS', stream) == 1 and #redis.call('XPENDING', stream, KEY.GROUP, '-', '+', 1, ARGV[1]) == 0 then
    redis.call('XGROUP', 'DELCONSUMER', stream, KEY.GROUP, ARGV[1])
  end
end
