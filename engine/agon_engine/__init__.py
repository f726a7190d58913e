"""The games and the contract they fulfil. Standard library only: no I/O, no clock, no network."""

__version__ = "0.1.0"
