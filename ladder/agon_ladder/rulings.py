"""What an organiser rules about a ladder: a new season, a purge, the undoing of a purge, the acceptance of a loss. Each
is an entry of the results stream among the results, with who and why, so whoever folds the stream comes to the same
table.

A purge is about matches that ended before it, and undoing it is about the purge: neither says anything of what comes
later. So a table at some position of the stream follows from the results and the rulings up to there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from agon_ladder.errors import ResultError
from agon_ladder.results import MatchResult, Position

FIRST_SEASON: Final = "first"
"""The label of the season that a ladder begins with."""
MAX_KEEP: Final = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ruled:
    position: Position
    """In the results stream."""
    id: str
    """Made by whoever rules, so that a repeat is known as one."""
    ladder: str
    actor: str
    """Who ruled, as they call themselves."""
    why: str

    @property
    def order(self) -> Position:
        return self.position


@dataclass(frozen=True, slots=True, kw_only=True)
class Season(_Ruled):
    """A new season begins; the table until here is that of the season before, for good."""

    label: str
    keep: int
    """Percent of its distance from the initial one that each rating keeps: 0, all begin anew; 100, none changes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Purge(_Ruled):
    """Matches that ended before it do not count: those to which all applies that it names."""

    bot: str = ""
    """Sat in the match; empty: whoever did."""
    server: str = ""
    """Ran the match, or a part of it, by its record."""
    match: str = ""
    since: int = 0
    """The match ended at this moment or later, by the stream's clock, in milliseconds since 1970."""
    until: int = 0
    """It ended before this moment; 0: before the purge."""

    def covers(self, result: MatchResult) -> bool:
        """Tell whether a result does not count by this purge."""
        return (
            result.position < self.position
            and result.ladder == self.ladder
            and (not self.bot or self.bot in result.bots)
            and (not self.server or self.server in result.servers)
            and (not self.match or self.match == result.match)
            and self.since <= result.position.time
            and (not self.until or result.position.time < self.until)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Undo(_Ruled):
    """A purge is taken back, as if it had never been."""

    purge: str
    """Its id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Loss(_Ruled):
    """Results are gone for good: nothing that stood between two positions counts, and nothing waits for it. Rulings
    that stood there are gone with them."""

    after: Position
    until: Position
    """The last of them at most."""
    results: int
    """Rated matches that had counted until then, as far as their rating rows were kept."""

    def covers(self, position: Position) -> bool:
        """Tell whether what stood there of the ladder is gone, also where somebody has it yet."""
        return self.after < position <= self.until


Ruling = Season | Purge | Undo | Loss

KINDS: Final[Mapping[str, type[Ruling]]] = {"season": Season, "purge": Purge, "undo": Undo, "loss": Loss}
"""By the kind of their entries."""
_FACTS: Final[Mapping[type[Ruling], Mapping[str, type]]] = {
    Season: {"label": str, "keep": int},
    Purge: {"bot": str, "server": str, "match": str, "since": int, "until": int},
    Undo: {"purge": str},
    Loss: {"after": str, "until": str, "results": int},
}


def kind_of(ruling: Ruling) -> str:
    """Return the kind of its entry."""
    return next(kind for kind, made in KINDS.items() if type(ruling) is made)


def facts_of(ruling: Ruling) -> dict[str, Any]:
    """Return what it is about, as values of JSON."""
    return {name: made(getattr(ruling, name)) for name, made in _FACTS[type(ruling)].items()}


def read_ruling(kind: str, position: Position, ruled: Mapping[str, str], facts: Any) -> Ruling:
    """Read a ruling: `ruled` has `id`, `ladder`, `actor` and `why`, `facts` what it is about. Raise ResultError."""
    made = KINDS.get(kind)
    if made is None or not isinstance(facts, dict):
        raise ResultError(f"not a ruling: {kind!r}")

    known = _FACTS[made]
    if facts.keys() != known.keys() or any(type(facts[name]) is not known[name] for name in known):
        raise ResultError(f"not what a {kind} is about: {facts!r}")
    if made is Season and not (facts["label"] and 0 <= facts["keep"] <= MAX_KEEP):
        raise ResultError(f"not a season: {facts!r}")
    if made is Purge and not (facts["bot"] or facts["server"] or facts["match"]):
        raise ResultError(f"a purge names a bot, a server or a match: {facts!r}")

    if made is Loss:
        facts = {**facts, "after": Position.parse(facts["after"]), "until": Position.parse(facts["until"])}
        if not facts["after"] < facts["until"] < position or facts["results"] < 0:
            raise ResultError(f"not a loss: {facts!r}")

    common: dict[str, Any] = {name: ruled[name] for name in ("id", "ladder", "actor", "why")}
    return made(position=position, **common, **facts)


def standing(rulings: Iterable[Ruling]) -> tuple[Purge, ...]:
    """Return the purges that were not undone, in their order. Of several rulings with one id the first one stands."""
    purges: dict[str, Purge] = {}
    for ruling in _firsts(rulings):
        if isinstance(ruling, Purge):
            purges[ruling.id] = ruling
        elif isinstance(ruling, Undo):
            purges.pop(ruling.purge, None)
    return tuple(purges.values())


def accepted(rulings: Iterable[Ruling]) -> tuple[Loss, ...]:
    """Return the losses that were accepted, as `standing` does the purges."""
    return tuple(ruling for ruling in _firsts(rulings) if isinstance(ruling, Loss))


def is_lost(losses: Iterable[Loss], position: Position) -> bool:
    """Tell whether what stood there is gone by one of the losses."""
    return any(loss.covers(position) for loss in losses)


def _firsts(rulings: Iterable[Ruling]) -> Iterator[Ruling]:
    known: set[str] = set()
    for ruling in rulings:
        if ruling.id not in known:
            known.add(ruling.id)
            yield ruling


def purged_by(purges: Iterable[Purge], result: MatchResult) -> Purge | None:
    """Return the first purge that covers a result; None where it counts."""
    return next((purge for purge in purges if purge.covers(result)), None)
