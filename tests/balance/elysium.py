"""What is counted in Elysium: designs and quests, by what all are told of a match.

A copy is offered when it comes face up into the Agora or the Oracle. An Instantaneous power is used when its card is
taken, others when they are told, a reused one too; Permanent and Chronos powers work without being told, and show no
use. What the turn's take may be is drafted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from tests.balance.accounts import Item

from agon_engine.core import Action, Decision, Event, Maker, Seat
from agon_engine.elysium import Elysium, ElysiumState
from agon_engine.elysium.enums import Activation, Family
from agon_engine.elysium.epoch import EPOCHS
from agon_engine.elysium.notation import Kind
from agon_engine.elysium.tables import GOLD

ROWS = ("agora", "oracle")
FACTS = ("gold left", "incomplete quests, share", "Citizens taken", "cards transferred")
_CARD_TAKES = (Kind.TAKE, Kind.TAKE_ORACLE)


class ElysiumLedger:
    """The ledger of one card set at one seat count."""

    def __init__(self, game: Elysium, seats: int) -> None:
        cards = game.cards
        quests = cards.quests_two if seats == 2 else cards.quests_more
        self.items: Sequence[Item] = (
            *(Item(card.id, Family(card.family).name.lower(), f"level {card.level}") for card in cards.cards),
            *(Item(f"quest {quest.number}", "quests", "quests") for quest in quests),
        )
        self.facts: Sequence[str] = FACTS
        self._actions = game.tables.actions
        self._numbers = {item.name: number for number, item in enumerate(self.items)}
        self._instant = {card.id for card in cards.cards if card.activation is Activation.INSTANT}

    def takes(self, decision: Decision) -> Sequence[tuple[Action, int]]:
        if decision.prompt != "turn":
            return ()

        actions = self._actions
        found = []
        for action in decision.actions:
            kind = actions.kind[action]
            if kind in _CARD_TAKES:
                found.append((action, actions.x[action] - 1))
            elif kind == Kind.QUEST:
                found.append((action, self._numbers[f"quest {actions.x[action]}"]))
        return found

    def offered(self, state: ElysiumState) -> tuple[int, ...]:
        return self.offered_by(state.events_since(0))

    def offered_by(self, events: Iterable[Event]) -> tuple[int, ...]:
        words = (event.code.split() for event in events if event.maker is Maker.CHANCE)
        return tuple(self._numbers[name] for row, name in (pair for pair in words if len(pair) == 2) if row in ROWS)

    def done(self, state: ElysiumState, seat: Seat) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
        return self.done_by(state.events_since(0), seat)

    def done_by(self, events: Iterable[Event], seat: Seat) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
        """Return what a seat took, used and transferred, by the events of a match."""
        taken, used, transferred = [], [], []
        for verb, name in _deeds(events, seat):
            if verb in ("take", "takes"):
                taken.append(self._numbers[name])
                if name in self._instant:
                    used.append(self._numbers[name])
            elif verb == "quest":
                taken.append(self._numbers[f"quest {name}"])
            elif verb in ("power", "reuse"):
                used.append(self._numbers[name])
            elif verb == "transfer" and name != "citizen":
                transferred.append(self._numbers[name])
        return tuple(taken), tuple(used), tuple(transferred)

    def start(self, state: ElysiumState, seat: Seat) -> int:
        return (seat - state.first_seat) % state.seats + 1

    def facts_of(self, state: ElysiumState, seat: Seat) -> tuple[float, ...]:
        events = state.events_since(0)
        told = [event.code for event in events if event.seat == seat]
        incomplete = sum(code.startswith("incomplete ") for code in told)
        transferred = sum(code.startswith("transfer ") for code in told)
        return state.purses[GOLD][seat], incomplete / EPOCHS, told.count("gets citizen"), transferred


def _deeds(events: Iterable[Event], seat: Seat) -> Iterator[tuple[str, str]]:
    """Yield the first two words of what a seat did by its own choice."""
    for event in events:
        if event.seat == seat and event.maker is Maker.SEAT:
            verb, name, *_ = chain(event.code.split(), ("", ""))
            yield verb, name
