"""The referee: runs matches between streams of remote bots, with clocks, and ends each exactly once."""
