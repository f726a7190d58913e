-- Notes a result that no ladder could take. ARGV: its id, what is kept of it (JSON).
keep(KEY.SET_ASIDE, ARGV[1], ARGV[2])
