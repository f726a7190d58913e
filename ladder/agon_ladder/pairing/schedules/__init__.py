"""Schedules of tournaments: which blocks are played, in rounds. Pure and lazy: nothing is kept for a planned match."""
