"""The end of a match (E7, ruling 28): Chronos powers, Legends, bonus tiles, prestige, Citizens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from agon_engine.core import Outcome, Seat, standard_placements
from agon_engine.elysium import events
from agon_engine.elysium.effects import never, resolve
from agon_engine.elysium.enums import Activation, Family, LegendKind, Phase, Todo
from agon_engine.elysium.layout import FAMILY_BONUS, OF_SEAT, STALE_ALL, Legend, Power, Task
from agon_engine.elysium.tables import GOLD, PP, VP

if TYPE_CHECKING:
    from agon_engine.elysium.effects import Tasks
    from agon_engine.elysium.state import ElysiumState

MAX_DECISIONS: Final = 6_000
"""When so many have been asked the match ends, ranked as it stands. None with the house set comes near it (README.md,
*The bound*); one with a set of somebody's own may."""
FAMILY_VP: Final = (0, 0, 3, 6)
"""By size of a family Legend (E7.2)."""
LEVEL_VP: Final = (0, 0, 2, 4, 8, 12)
PRESTIGE_VP: Final = (16, 8, 4, 2)
"""By rank (E7.3)."""
CITIZEN_VP: Final = -2
PARTS: Final = ("play", "chronos", "family", "level", "bonus", "prestige", "citizens")
"""The named parts of a score."""
_CHRONOS: Final = int(Activation.CHRONOS)
_ARES: Final = int(Family.ARES)
_LONE: Final = LegendKind.LONE
_FAMILY: Final = LegendKind.FAMILY


def begin_scoring(state: ElysiumState) -> None:
    """Let what is in no Legend leave the game, then the Chronos powers of the others be resolved, then all be
    scored."""
    state.agenda.clear()
    state.phase = Phase.OVER
    state.stale = STALE_ALL
    for seat in range(state.seats):
        state.gone += state.domains[seat]
        state.domains[seat].clear()
        legends = state.elysiums[seat]
        state.gone += [legend.cards[0] for legend in legends if legend.kind is _LONE]
        state.elysiums[seat] = [legend for legend in legends if legend.kind is not _LONE]
    state.played = list(state.purses[VP])
    due = [(seat, card) for seat in state.order for card in _chronos_cards(state, seat)]
    state.agenda.append(Task(Todo.SCORE, OF_SEAT[0]))
    for seat, card in reversed(due):
        resolve(state, state.tables.effect[state.tables.design[card]], Power(seat, seat, card))


def _chronos_cards(state: ElysiumState, seat: Seat) -> list[int]:
    """Return the Chronos cards in a seat's Legends, in the order of ids."""
    tables = state.tables
    cards = [card for legend in state.elysiums[seat] for card in legend.cards if card > 0]
    chronos = [card for card in cards if tables.activation[tables.design[card]] == _CHRONOS]
    return sorted(chronos, key=lambda card: tables.rank[tables.design[card]])


def score(state: ElysiumState, _task: Task) -> None:
    """Add everything up, and tell it."""
    prestige = prestige_vp(state.purses[PP]) if _ARES in state.families else [0] * state.seats
    state.scores = [_parts(state, seat, prestige[seat]) for seat in range(state.seats)]
    for seat, parts in enumerate(state.scores):
        for part, points in zip(PARTS, parts, strict=True):
            if points:
                state.tell(events.scored(seat, part, points))
        state.tell(events.scored(seat, "score", sum(parts)))
    state.tell(events.OVER)


def _parts(state: ElysiumState, seat: Seat, prestige: int) -> list[int]:
    legends = state.elysiums[seat]
    citizens = sum(1 for legend in legends for card in legend.cards if card < 0)
    return [
        state.played[seat],
        state.purses[VP][seat] - state.played[seat],
        sum(legend_vp(legend) for legend in legends if legend.kind is _FAMILY),
        sum(legend_vp(legend) for legend in legends if legend.kind is not _FAMILY),
        bonus_vp(state, seat),
        prestige,
        CITIZEN_VP * max(0, citizens - state.pardons[seat]),
    ]


def legend_vp(legend: Legend) -> int:
    return (FAMILY_VP if legend.kind is _FAMILY else LEVEL_VP)[len(legend.cards)]


def bonus_vp(state: ElysiumState, seat: Seat) -> int:
    """Return what the bonus tiles that a seat holds are worth."""
    values = state.tables.cards.level_bonus
    levels = sum(values[level - 1] for level, holder in enumerate(state.level_tiles) if level and holder == seat)
    return levels + sum(FAMILY_BONUS[tile % 2] for tile, holder in enumerate(state.family_tiles) if holder == seat)


def prestige_vp(pp: list[int]) -> list[int]:
    """Return the VP of the ranks by PP; who has none takes no part, ties share their places' VP, rounded down."""
    found = []
    for mine in pp:
        above = sum(other > mine for other in pp)
        tied = pp.count(mine)
        found.append(sum(PRESTIGE_VP[above : above + tied]) // tied if mine > 0 else 0)
    return found


def outcome_of(state: ElysiumState) -> Outcome:
    """Rank the seats of a match that is scored: more points, then more gold, then shared (E7.5)."""
    scores = tuple(sum(parts) for parts in state.scores)
    parts = tuple(tuple(zip(PARTS, points, strict=True)) for points in state.scores)
    keys = list(zip(scores, state.purses[GOLD], strict=True))
    return Outcome(scores, standard_placements(keys), parts, by_cap=state.asked > MAX_DECISIONS)


TASKS: Final[Tasks] = {Todo.SCORE: (score, never)}
