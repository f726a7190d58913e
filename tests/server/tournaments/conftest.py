"""Tests of this folder can have one with all that a whole file of a tournament names."""

from tests.support.tournament_files import folder

__all__ = ["folder"]
