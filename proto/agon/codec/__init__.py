"""Between the engine's values and the wire: the only hand-written user of the generated protobuf messages.

`frames` says what can be said, as plain Python values; `up` and `down` turn frames into bytes and back; `views` keeps
the encoded parts of a view; `registry` knows the games, each with a module of its own here; `rpc` names the calls.
"""
