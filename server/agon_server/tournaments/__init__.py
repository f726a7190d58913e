"""Tournaments: finite competitions that a file describes. What a file says is `definition`, how it is read `reading`;
which blocks follow is `agon_ladder.pairing.schedules`'.

A tournament's state is a fold of its results over its schedule (`progress`), and its results are entries of an archive,
as a server's are (`folder`): a record and what tables need of it, written in one step. So there is no second account of
how far it has come that could differ: whoever opens the folder, after whatever crash, reads the results, asks the
schedule for its rounds and goes on with what is missing. Who plays (`local`: the SDK, in processes of this machine) is
told what is due and gives results back.
"""
