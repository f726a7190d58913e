"""Toy games with one flaw each in how they take files for an option."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

from tests.support.toy_files import LabelledToy
from tests.support.toy_game import Toy

from agon_engine.core import GameFile, OptionValue


class TrustfulToy(LabelledToy):
    """Stumbles over what is hostile."""

    def _with_file(self, option: str, text: str) -> Self:
        return self._labelled(option, text.split()[0])


class RestlessToy(LabelledToy):
    """Writes a file in another way each time, but for the one that it offers."""

    def _with_file(self, option: str, text: str) -> Self:
        if text == self.own_file(option):
            return super()._with_file(option, text)
        return self._labelled(option, text[:100].encode("ascii", "replace").decode() + "!")


class ShoutingToy(LabelledToy):
    """Takes what it offers for something else."""

    def _with_file(self, option: str, text: str) -> Self:
        return super()._with_file(option, text.upper())


class ForgedToy(LabelledToy):
    """Names a file by something else than its text."""

    def _labelled(self, option: str, label: str) -> Self:
        made = super()._labelled(option, label)
        made.__dict__["files"] = {option: GameFile("f" * 32, label)}
        return made


class GullibleToy(LabelledToy):
    """Plays with any hash."""

    def check_options(self, given: Mapping[str, Any]) -> dict[str, OptionValue]:
        return self.spec.check_options(given)


FLAWS: list[tuple[Toy, str, str]] = [
    (TrustfulToy(), "files", "given '', raises IndexError"),
    (RestlessToy(), "files", "is another file when its own text is read"),
    (ShoutingToy(), "files", "makes another game"),
    (ForgedToy(), "files", "has another hash than its text"),
    (GullibleToy(), "files", "that nobody gave"),
]
"""Each flaw with the check that must find it, and what it says."""
