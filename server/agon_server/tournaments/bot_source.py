"""What can be known of a bot's Python file without running it: which classes it has, and which games they say that they
play. What only running tells, such as a class from elsewhere, is left to whoever loads the bot.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping
from pathlib import Path

from agon_server.surroundings import read_up_to
from agon_server.tournaments.asking import WrongError, did_you_mean, shown

_EVERYTHING = "*"


def check_source(path: Path, class_: str, game: str, seats: int) -> None:
    """Raise WrongError where a file is no Python, lacks the class, or has it for other games or seats.

    `class_` is empty where the file's only one is meant, `game` where it is not known, `seats` then 0.
    """
    try:
        tree = ast.parse(read_up_to(path), str(path))
    except SyntaxError as error:
        raise WrongError(f"line {error.lineno} of the file is not Python ({error.msg}): {shown(str(path))}") from None
    except (OSError, ValueError, RecursionError, MemoryError):
        return

    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    if class_ and class_ not in (bound := _bound(tree)) and _EVERYTHING not in bound:
        meant = did_you_mean(class_, classes)
        raise WrongError(
            f"the file has no such class, but {', '.join(classes) or 'none'}, not {shown(class_)}"
            f"{'; ' + meant if meant else ''}"
        )

    found = classes.get(class_) if class_ else next(iter(classes.values())) if len(classes) == 1 else None
    if found is not None and game:
        _check_games(found.name, _games(found), game, seats)


def _bound(tree: ast.Module) -> Collection[str]:
    """Return all names that the file gives to anything, wherever in it, so rather too many."""
    found = set()
    for node in ast.walk(tree):
        match node:
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name):
                found.add(name)
            case ast.Name(id=name, ctx=ast.Store()):
                found.add(name)
            case ast.alias(name=name, asname=other):
                found.add(other or name)
            case ast.Call(func=ast.Name(id="globals" | "exec" | "setattr")):
                found.add(_EVERYTHING)
            case _:
                pass
    return found


def _games(class_: ast.ClassDef) -> object:
    """Return what the class says that it plays; None where that is not written out."""
    for node in class_.body:
        match node:
            case (
                ast.Assign(targets=[ast.Name(id="games")], value=value)
                | ast.AnnAssign(target=ast.Name(id="games"), value=ast.expr() as value)
            ):
                try:
                    return ast.literal_eval(value)
                except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
                    return None
            case _:
                pass
    return None


def _check_games(class_: str, games: object, game: str, seats: int) -> None:
    # An empty one means all games; what is no collection of names the SDK refuses.
    if not isinstance(games, Mapping | list | tuple | set) or not games:
        return
    if game not in games:
        names = ", ".join(str(name) for name in games)
        raise WrongError(f"{class_} plays {names} by its `games`, not {game!r}")
    if isinstance(games, Mapping) and isinstance(counts := games[game], Collection) and counts and seats not in counts:
        told = ", ".join(str(count) for count in counts)
        raise WrongError(f"{class_} plays {game} with so many seats: {told}, not {seats!r}")
