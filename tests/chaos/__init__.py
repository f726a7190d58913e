"""Chaos: real servers, bots and a store, killed at random while matches are played; `python -m tests.chaos`."""
