"""How the greedy bot plays Elysium: what each action is worth at once, by the seat's view alone.

What cards and Legends are worth is `elysium_worth`'s; here is what an action changes: the columns that are left, gold
and points of this seat and of the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from agon_bots.house.greedy.elysium_worth import ESTIMATE, TABLES, Worth, best_sum
from agon_engine.core import Action, Seat
from agon_engine.elysium import vocabulary as v
from agon_engine.elysium.enums import COLOURS
from agon_engine.elysium.notation import Kind
from agon_engine.elysium.tables import GOLD, PP, VP, Node
from agon_engine.elysium.view import View
from agon_engine.elysium.words import Zone

ACTIONS: Final = TABLES.actions
KINDS: Final = tuple(Kind)
POWER: Final = 20.0
"""More than any take: a power that can be used is used first."""
OTHERS: Final = 0.4
"""What a point less for an opponent is worth."""
PRESTIGE: Final = 0.6
"""What a PP is worth."""
QUEST: Final = 1.5
"""What it is worth to have a quest rather than its incomplete side, on top of what it pays."""
LAST_CHANCE: Final = 4.0
"""The same when no other quest can be taken any more, or the columns run out."""
TRANSFER: Final = 1.6
"""What a transfer is worth that a quest allows."""


def rate(view: View, actions: Sequence[str]) -> list[float]:
    """Return what each action is worth to the view's seat, in points."""
    reckoning = Reckoning(view)
    return [reckoning.worth(ACTIONS.notation.parse(code), actions) for code in actions]


class Reckoning(Worth):
    """What the actions in one view are worth."""

    def worth(self, action: Action, listed: Sequence[str]) -> float:
        kind, x = KINDS[ACTIONS.kind[action]], ACTIONS.x[action]
        if kind in (Kind.TAKE, Kind.TAKE_ORACLE, Kind.TAKE_DISCARD, Kind.KEEP):
            return self.card(x)
        if kind is Kind.QUEST:
            return self._quest(x, sum(code.startswith("quest") for code in listed))
        if kind is Kind.POWER:
            return POWER
        if kind is Kind.DISMISS:
            return self._columns(self.view.players[self.seat].columns & ~(1 << (x - 1)))
        if kind is Kind.RETURN:
            return self._columns(self.view.players[self.seat].columns | 1 << (x - 1))
        if kind is Kind.TRANSFER:
            return self.transfer(x)
        if kind is Kind.TRANSFER_AGORA:
            return self.transfer(x) + 2.0
        if kind in (Kind.PLACE, Kind.PLACE_FAMILY, Kind.PLACE_LEVEL):
            number = x // 4 if kind is Kind.PLACE_LEVEL else x
            return self.place(self.view.pending.steps[-1].x, number)
        if kind in (Kind.CHOOSE, Kind.PAY, Kind.ACCEPT):
            return self._step(kind, x)
        if kind is Kind.SEAT:
            return 1.0 + self._lead(x)
        if kind is Kind.SACRIFICE:
            return 1.4 - self.card(x) if x else 0.5
        if kind is Kind.LOSE:
            own = self.view.pending.steps[-1].subject == self.seat
            return -self.card(x) if own else ESTIMATE[x]
        if kind in (Kind.MOVE, Kind.MOVE_ORACLE):
            return TABLES.level[x] * PRESTIGE - 0.2 * self.card(x)
        if kind is Kind.RESERVE:
            return self.card(x)
        if kind in (Kind.REUSE, Kind.RECHARGE):
            return ESTIMATE[x]
        return 0.0

    # -- quests and columns ----------------------------------------------------------------------------------

    def _quest(self, number: int, listed: int) -> float:
        cards = TABLES.cards
        quest = (cards.quests_two if len(self.view.players) == 2 else cards.quests_more)[number - 1]
        less = cards.incomplete
        pays = (quest.gold - less.gold) * self.gold + quest.vp - less.vp
        pays += (quest.transfers - less.transfers) * TRANSFER
        standing = self.view.players[self.seat].columns.bit_count()
        urgent = listed == 1 or standing <= 2
        return pays + (LAST_CHANCE if urgent else QUEST) - 0.15 * number

    def _columns(self, columns: int) -> float:
        """Return what the columns that are left can still take."""
        view = self.view
        me = view.players[self.seat]
        left = [design for design in view.agora.cards if TABLES.open_to[0][design] >> columns & 1]
        own = set(self.domain)
        worth = best_sum((self.card(design) for design in left if design not in own), 3 - me.taken)
        if not me.quest:
            taken = {player.quest for player in view.players}
            free = [
                number
                for number, colours in enumerate(view.deal.quest_columns, 1)
                if number not in taken and colours & columns
            ]
            worth += min(2, len(free)) * 2.5
        return worth + 0.1 * sum(columns >> (colour - 1) & 1 for colour in COLOURS)

    # -- powers ----------------------------------------------------------------------------------------------

    def _lead(self, seat: Seat) -> float:
        player = self.view.players[seat]
        return 0.05 * (player.vp + player.gold + player.pp)

    def _step(self, kind: Kind, x: int) -> float:
        due = self.view.pending.steps[-1]
        node = TABLES.nodes[due.node]
        if kind is Kind.CHOOSE:
            return self._value(TABLES.nodes[node.kids[x - 1]], due.owner)
        if kind is Kind.PAY:
            return self._value(node, due.owner)
        return self._value(TABLES.nodes[node.kids[0]], due.owner)

    def _value(self, node: Node[Any], owner: Seat) -> float:
        """Return what a step is worth to this seat as its subject."""
        step = node.step
        if isinstance(step, (v.Gain, v.Score)):
            return self._points(node.resource, node.plain if node.plain >= 0 else 3)
        if isinstance(step, (v.Lose, v.Tribute)):
            me = self.view.players[self.seat]
            has = (me.gold, me.vp, me.pp)[node.resource]
            lost = min(has, node.plain if node.plain >= 0 else 2)
            return -self._points(node.resource, lost) * (1 + OTHERS * isinstance(step, v.Tribute))
        if isinstance(step, v.Pay):
            return self._value(TABLES.nodes[node.kids[0]], owner) - self._points(node.resource, step.n)
        if isinstance(step, v.Seq):
            return sum(self._value(TABLES.nodes[kid], owner) for kid in node.kids)
        if isinstance(step, v.Transfer):
            return max([self.transfer(design) for design in self.domain] or [0.0]) + 0.5
        if isinstance(step, v.Take):
            row = {Zone.AGORA: self.view.agora, Zone.ORACLE: self.view.oracle}.get(step.source, self.view.discard)
            own = set(self.domain)
            return max([self.card(card) for card in row.cards if node.fits[card] and card not in own] or [0.0])
        if isinstance(step, v.Reuse):
            return 2.6
        if isinstance(step, v.Recharge):
            return 2.0 * self.left
        if isinstance(step, v.ColumnReturn):
            return 1.0
        return 1.0

    def _points(self, resource: int, n: int) -> float:
        if resource == VP:
            return float(n)
        if resource == PP:
            return PRESTIGE * n
        assert resource == GOLD
        return self.gold * n
