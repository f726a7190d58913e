"""How a command is made: a function becomes one with `command`, which adds what all commands have in common.

    @command(group, "ls", examples="agon bot ls --json")
    async def ls(out: Output, door: Door) -> None: ...

Every command has `--debug`. One with a parameter of type Output gets one, and `--json` with it; one with a parameter of
type Door gets the running server or the data folder, and `--data`, `--server`, `--ca` and `--insecure` with it.
"""

from __future__ import annotations

import asyncio
import inspect
import sys
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_type_hints

import typer

from agon.codec.calls import Method
from agon_server.cli.door import Door, LazyDoor, open_door
from agon_server.cli.failures import Interrupted
from agon_server.cli.output import Output
from agon_server.surroundings import SurroundingsError

F = TypeVar("F", bound=Callable[..., Any])


def a_path(text: str) -> Path:
    """Read a path that was typed. An empty one, such as an unset variable gives, would mean the current folder."""
    if not text:
        raise typer.BadParameter("expected a path, not ''")
    return Path(text)


JsonFlag = Annotated[bool, typer.Option("--json", help="Print one line of JSON instead of text.")]
DebugFlag = Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")]
DataOption = Annotated[
    Path | None,
    typer.Option(
        "--data",
        metavar="DIR",
        parser=a_path,
        help="Data folder of the installation.  [default: AGON_DATA or agon-data]",
    ),
]
ServerOption = Annotated[
    str | None,
    typer.Option(
        "--server",
        metavar="HOST:PORT",
        help="Ask a server on another machine; what is not public needs AGON_ADMIN_TOKEN.",
    ),
]
CaOption = Annotated[
    Path | None,
    typer.Option("--ca", metavar="FILE", parser=a_path, help="Certificates to trust, with --server."),
]
InsecureFlag = Annotated[bool, typer.Option("--insecure", help="Speak plain text to --server beyond this machine.")]


@dataclass(slots=True)
class Session:
    """What one run of `agon` is told beside its command."""

    debug: bool = False


def group(parent: typer.Typer, name: str, help_text: str) -> typer.Typer:
    """Add a noun to the commands."""
    made = typer.Typer(help=help_text, no_args_is_help=True, rich_markup_mode=None, add_completion=False)
    parent.add_typer(made, name=name)
    return made


def command(
    parent: typer.Typer, name: str, *, examples: str, has_debug: bool = True, **settings: Any
) -> Callable[[F], F]:
    """Make a function a command. `examples` stand at the end of its help, one a line.

    `has_debug` is False for a command that hands its options on to another program, which has one of its own.
    """
    lines = "\n".join(f"  {line}" for line in examples.strip().splitlines())
    epilog = f"\b\nExamples:\n{lines}"

    def decorate(function: F) -> F:
        run = _with_common(function, has_debug=has_debug)
        parent.command(name, help=inspect.getdoc(function), epilog=epilog, **settings)(run)
        return function

    return decorate


def _with_common(function: Callable[..., Any], *, has_debug: bool) -> Callable[..., Any]:
    hints = get_type_hints(function, include_extras=True)
    given = inspect.signature(function).parameters
    takes_door = next((name for name in given if hints[name] is Door), None)
    takes_output = next((name for name in given if hints[name] is Output), None)
    common: dict[str, tuple[Any, Any]] = {"debug": (DebugFlag, False)} if has_debug else {}
    if takes_output:
        common["as_json"] = (JsonFlag, False)
    if takes_door:
        common |= {
            "data": (DataOption, None),
            "server": (ServerOption, None),
            "ca": (CaOption, None),
            "insecure": (InsecureFlag, False),
        }

    @wraps(function)
    def run(ctx: typer.Context, **values: Any) -> Any:
        extra = {name: values.pop(name) for name in common}
        session: Session = ctx.ensure_object(Session)
        session.debug = session.debug or extra.get("debug", False)
        if takes_output:
            values[takes_output] = Output(as_json=extra["as_json"])
        try:
            if takes_door:
                return asyncio.run(_through_door(function, takes_door, values, extra))
            result = function(**values)
            return asyncio.run(result) if inspect.iscoroutine(result) else result
        except (KeyboardInterrupt, asyncio.CancelledError) as error:
            raise Interrupted from error
        except BrokenPipeError:
            # Typer would end the process without a word. Where it is the reader of an Output, that says so itself.
            raise SurroundingsError("whoever this was written to has closed the pipe; start it again") from None

    own = [name for name in given if name not in (takes_door, takes_output)]
    parameters = [inspect.Parameter("ctx", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context)]
    parameters += [given[name].replace(annotation=hints[name], kind=inspect.Parameter.KEYWORD_ONLY) for name in own]
    parameters += [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=kind, default=default)
        for name, (kind, default) in common.items()
    ]
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # typer reads it
    run.__annotations__ = {item.name: item.annotation for item in parameters}
    del run.__wrapped__  # else the signature of the wrapped function counts
    return run


def _tell(text: str) -> None:
    """Tell a person something beside what the command prints."""
    sys.stderr.write(f"agon: {text}\n")


async def _through_door(function: Callable[..., Any], name: str, values: dict[str, Any], extra: dict[str, Any]) -> Any:
    def open_(first: Method[Any, Any]) -> AbstractAsyncContextManager[Door]:
        return open_door(
            extra["data"], extra["server"], ca=extra["ca"], insecure=extra["insecure"], first=first, tell=_tell
        )

    async with LazyDoor(open_) as door:
        return await function(**values, **{name: door})
