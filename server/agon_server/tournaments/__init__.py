"""Tournaments: finite competitions that a file describes. What a file says is `definition`, how it is read `reading`;
which blocks follow is `agon_ladder.pairing.schedules`'.
"""
