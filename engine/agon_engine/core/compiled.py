"""Whether the hot modules run compiled, and what the compiler (mypyc) has to be told. It is an option of the build;
the code is the same, and this module is never compiled itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

__all__ = ["is_compiled", "mypyc_attr"]

if TYPE_CHECKING:
    from mypy_extensions import mypyc_attr
else:
    T = TypeVar("T")

    def mypyc_attr(**_: object) -> Callable[[T], T]:
        """Mark a class for the compiler; without it, nothing."""
        return lambda marked: marked


def is_compiled() -> bool:
    """Tell whether this installation's engine is compiled."""
    from agon_engine.core import game

    return not game.__file__.endswith(".py")
