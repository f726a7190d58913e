"""How the greedy bot plays Elysium: what each listed action is worth at once, by the seat's view alone.

What cards and Legends are worth is `elysium_worth`'s, what a step of a power is worth `elysium_steps`'. Here is what
an action is, and the turn: which card or quest, which column to give up.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from agon_bots.house.greedy.elysium_steps import Steps
from agon_bots.house.greedy.elysium_worth import TRANSFER, best_sum
from agon_engine.core import Action
from agon_engine.elysium import Elysium
from agon_engine.elysium.enums import COLOURS, Activation
from agon_engine.elysium.notation import Kind
from agon_engine.elysium.turn import CARDS_AN_EPOCH
from agon_engine.elysium.view import View

POWER: Final = 20.0
"""More than any take: a power that is worth something is used first."""
WAIT: Final = 0.8
"""Of what a Trigger power is thought to be worth, so much is waited for, early."""
EARLY: Final = -5.0
"""What it is worth to take a quest before it has to be: a card that is left lying may be gone."""
RISK: Final = 9.0
"""What it is worth to take a quest that will surely be gone."""
NEVER: Final = -9.0


def rate(game: Elysium, view: View, actions: Sequence[str]) -> list[float]:
    """Return what each action is worth to the view's seat, in points."""
    reckoning = Reckoning(game, view)
    quests = sum(code.startswith("quest") for code in actions)
    return [reckoning.worth(game.notation.parse(code), quests) for code in actions]


class Reckoning(Steps):
    """What the actions in one view are worth."""

    def worth(self, action: Action, quests: int) -> float:
        """Return what an action is worth; `quests` of those listed beside it take a quest."""
        actions = self.tables.actions
        kind, x = Kind(actions.kind[action]), actions.x[action]
        return self._quest(x, quests) if kind is Kind.QUEST else _WORTH[kind](self, x)

    # -- the turn --------------------------------------------------------------------------------------------

    def _quest(self, number: int, listed: int) -> float:
        cards = self.tables.cards
        quest = (cards.quests_two if len(self.view.players) == 2 else cards.quests_more)[number - 1]
        less = cards.incomplete
        pays = (quest.gold - less.gold) * self.gold + quest.vp - less.vp
        pays += (quest.transfers - less.transfers) * TRANSFER
        return pays + EARLY + RISK * self._risk(listed) - 0.15 * number

    def _risk(self, listed: int) -> float:
        """Return how likely it is that none of the quests that are listed can be taken later."""
        if self.me.columns.bit_count() == 1 or self.me.taken == CARDS_AN_EPOCH:
            return 1.0
        rivals = sum(not player.quest for player in self.view.players) - 1
        return min(1.0, rivals / listed)

    def _power(self, design: int) -> float:
        """Rate a power by what it does now. One that is there once a match waits for a better moment."""
        worth = self.step(self.tables.effect[design], self.seat)
        if self.tables.activation[design] == Activation.TRIGGER:
            worth -= WAIT * self.left * self.estimate(design)
        return POWER + worth if worth > 0 else NEVER

    def _dismiss(self, colour: int) -> float:
        return self._columns(self.me.columns & ~(1 << (colour - 1)))

    def _return(self, colour: int) -> float:
        return self._columns(self.me.columns | 1 << (colour - 1))

    def _columns(self, columns: int) -> float:
        """Return what can still be taken with the columns that are left."""
        view, own = self.view, set(self.domain)
        open_to = self.tables.open_to[0]
        cards = (design for design in view.agora.cards if open_to[design] >> columns & 1 and design not in own)
        worth = best_sum((self.card(design) for design in cards), CARDS_AN_EPOCH - self.me.taken)
        if not self.me.quest:
            gone = {player.quest for player in view.players}
            free = [
                number
                for number, colours in enumerate(view.deal.quest_columns, 1)
                if number not in gone and colours & columns
            ]
            worth += min(2, len(free)) * 2.5
        return worth + 0.1 * sum(columns >> (colour - 1) & 1 for colour in COLOURS)

    # -- answers ---------------------------------------------------------------------------------------------

    def _nothing(self, _: int) -> float:
        return 0.0

    def _place(self, legend: int) -> float:
        return self.place(self.due.x, legend)

    def _place_level(self, x: int) -> float:
        return self.place(self.due.x, x // 4)

    def _option(self, number: int) -> float:
        return self.step(self.node.kids[number - 1], self.seat)

    def _accept(self, _: int) -> float:
        return self.step(self.node.kids[0], self.seat)

    def _paid(self, _: int) -> float:
        return self.step(self.node.number, self.seat)

    def _opponent(self, seat: int) -> float:
        """Rate an opponent by what the step does to it; of equals the one that is ahead."""
        player = self.view.players[seat]
        return self.upon(self.node.kids[0], seat) + 0.01 * (player.vp + player.gold + player.pp)

    def _sacrificed(self, design: int) -> float:
        return self.step(self.node.kids[0], self.seat) - self.remaining(design)

    def _lost(self, design: int) -> float:
        own = self.due.subject == self.seat
        return -self.remaining(design) if own else self.estimate(design)

    def _moved(self, design: int) -> float:
        return self.tables.level[design] - 0.2 * self.card(design)

    def _used(self, design: int) -> float:
        return self.step(self.tables.effect[design], self.seat)


_WORTH: Final[dict[Kind, Callable[[Reckoning, int], float]]] = {
    Kind.TAKE: Reckoning.card,
    Kind.TAKE_ORACLE: Reckoning.card,
    Kind.TAKE_DISCARD: Reckoning.card,
    Kind.KEEP: Reckoning.card,
    Kind.CITIZEN: Reckoning._nothing,
    Kind.PASS: Reckoning._nothing,
    Kind.POWER: Reckoning._power,
    Kind.END: Reckoning._nothing,
    Kind.SKIP: Reckoning._nothing,
    Kind.DISMISS: Reckoning._dismiss,
    Kind.RETURN: Reckoning._return,
    Kind.TRANSFER: Reckoning.transfer,
    Kind.TRANSFER_AGORA: Reckoning.transfer_new,
    Kind.PLACE: Reckoning._place,
    Kind.PLACE_FAMILY: Reckoning._place,
    Kind.PLACE_LEVEL: Reckoning._place_level,
    Kind.CHOOSE: Reckoning._option,
    Kind.ACCEPT: Reckoning._accept,
    Kind.PAY: Reckoning._paid,
    Kind.SEAT: Reckoning._opponent,
    Kind.SACRIFICE: Reckoning._sacrificed,
    Kind.LOSE: Reckoning._lost,
    Kind.MOVE: Reckoning._moved,
    Kind.MOVE_ORACLE: Reckoning._moved,
    Kind.RESERVE: Reckoning.card,
    Kind.REUSE: Reckoning._used,
    Kind.RECHARGE: Reckoning._used,
    Kind.ORDER: Reckoning._nothing,
}
"""By kind of action: what rates it, from its `x`. A quest is rated apart, by what is listed beside it."""
