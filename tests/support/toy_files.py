"""The toy with an option that may be a file: a label of words, in which the spaces between them count for nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Self

from tests.support.toy_game import Toy, ToyState

from agon_engine.core import Chance, FileError, GameFile, Option, OptionValue

LABEL = Option("label", "plain", ("plain",), "what it is called", is_file=True)


class LabelledToy(Toy):
    """What the label says changes nothing in a match."""

    spec = replace(Toy.spec, options=(*Toy.spec.options, LABEL))
    label = "plain"

    def _with_file(self, option: str, text: str) -> Self:
        if not text.split() or "@" in text:
            raise FileError(option, ["a label has words, and no @"])
        return self._labelled(option, " ".join(text.split()))

    def _own_file(self, option: str) -> str:
        return f"{self.label}\n" if option == LABEL.name else super()._own_file(option)

    def _labelled(self, option: str, label: str) -> Self:
        made = type(self)()
        made.label = label
        made.__dict__["files"] = {option: GameFile.of(label)}
        return made

    def start(self, seats: int, chance: Chance, options: Mapping[str, OptionValue] | None = None) -> ToyState:
        chosen = self.check_options(options or {})
        return super().start(seats, chance, {name: chosen[name] for name in ("hand", "wards")})


GAME = LabelledToy()
