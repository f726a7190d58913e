"""Ladders of an installation: their definitions, the fold of results into tables, pairing, rebuild and audit.

What is decided is `agon_ladder`'s, pure; here it meets the store, the queue and the connected bots. No gRPC.
"""
