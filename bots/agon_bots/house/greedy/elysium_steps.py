"""What a step of a power is worth: the greedy bot's reading of the cards, whatever set they are of, by the view alone.

A step is worth what it does to the seat that it happens to, its subject. What it does to an opponent counts against
that: a point less for each of them is worth a point. What a step counts is counted here in the view.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from agon_bots.house.greedy.elysium_worth import PRESTIGE, TRANSFER, Worth
from agon_engine.core import Seat
from agon_engine.elysium import vocabulary as v
from agon_engine.elysium.enums import Activation, LegendKind
from agon_engine.elysium.tables import COUNTERS, GOLD, NONE_ABOVE, NONE_BELOW, PP, Amount, Check, Node
from agon_engine.elysium.view import Domain, Due, Row
from agon_engine.elysium.words import Comparison, Counter, Price, Who, Zone

UNSEEN: Final = 4.0
"""What the best of three unseen cards is worth."""
CITIZEN_IN_HAND: Final = 0.7
"""What a Citizen in the Domain is worth: it may complete a Legend."""
LOST_CARD: Final = 2.0
"""What a card of an opponent's Domain is worth to it, of its own choice."""
LOOK: Final = 0.3
"""What it is worth to know what comes."""
COLUMN: Final = 1.0
"""What a column more is worth while takes are left."""
AGAIN: Final = 0.7
"""The chance that a card that is made ready is used once more."""
LAST_ROUND: Final = 4


class Steps(Worth):
    """What the steps of powers are worth in one view."""

    @property
    def due(self) -> Due:
        """The step that is asked."""
        return self.view.pending.steps[-1]

    @property
    def node(self) -> Node[Any]:
        """The step of a card that is asked."""
        return self.tables.nodes[self.due.node]

    def step(self, number: int, subject: Seat) -> float:
        """Return what a step is worth to its subject, in this seat's power or, for another subject, in what is done
        to it."""
        node = self.tables.nodes[number]
        return _WORTH[type(node.step)](self, node, subject)

    def upon(self, number: int, opponent: Seat) -> float:
        """Return what it is worth to this seat that a step happens to an opponent."""
        node = self.tables.nodes[number]
        step = node.step
        to_owner = isinstance(step, v.Tribute) or (isinstance(step, v.Gain) and step.to is Who.OWNER)
        if not to_owner:
            return -self.step(number, opponent) / self.opponents
        n = self._value(node.amount, opponent)
        if isinstance(step, v.Tribute):
            n = min(n, self._has(opponent, node.resource))
            return self.points(node.resource, n) * (1 + 1 / self.opponents)
        return self.points(node.resource, n)

    def _others(self) -> Iterator[Seat]:
        return (player.seat for player in self.view.players if player.seat != self.seat)

    # -- what holds other steps ------------------------------------------------------------------------------

    def _seq(self, node: Node[Any], subject: Seat) -> float:
        return sum(self.step(kid, subject) for kid in node.kids)

    def _choose(self, node: Node[v.Choose], subject: Seat) -> float:
        worths = sorted((self.step(kid, subject) for kid in node.kids), reverse=True)
        return sum(worths[: node.step.n])

    def _may(self, node: Node[Any], subject: Seat) -> float:
        return max(0.0, self.step(node.kids[0], subject))

    def _if(self, node: Node[Any], subject: Seat) -> float:
        if self._holds(node.check, subject):
            return self.step(node.kids[0], subject)
        return self.step(node.kids[1], subject) if len(node.kids) > 1 else 0.0

    def _each_opponent(self, node: Node[Any], _: Seat) -> float:
        return sum(self.upon(node.kids[0], seat) for seat in self._others())

    def _pick_opponent(self, node: Node[Any], _: Seat) -> float:
        return max((self.upon(node.kids[0], seat) for seat in self._others()), default=0.0)

    def _pay(self, node: Node[v.Pay], subject: Seat) -> float:
        if self._has(subject, node.resource) < node.step.n:
            return 0.0
        return max(0.0, self.step(node.kids[0], subject) - self.points(node.resource, node.step.n))

    def _sacrifice(self, node: Node[Any], subject: Seat) -> float:
        cards = [self.remaining(design) for design in self.domain if node.fits[design]]
        return max(0.0, self.step(node.kids[0], subject) - min(cards)) if cards else 0.0

    # -- what is gained and lost -----------------------------------------------------------------------------

    def _gain(self, node: Node[Any], subject: Seat) -> float:
        return self.points(node.resource, self._value(node.amount, subject))

    def _lose(self, node: Node[Any], subject: Seat) -> float:
        return -self.points(node.resource, min(self._has(subject, node.resource), self._value(node.amount, subject)))

    def _lose_card(self, node: Node[v.LoseCard], subject: Seat) -> float:
        if subject == self.seat:
            return -min((self.remaining(design) for design in self.domain if node.fits[design]), default=0.0)
        cards = [design for design in self.view.domains[subject].cards if design and node.fits[design]]
        if not cards:
            return 0.0
        chosen_here = node.step.chooser is Who.OWNER
        return -max(self.estimate(design) for design in cards) if chosen_here else -LOST_CARD

    # -- cards -----------------------------------------------------------------------------------------------

    def _take(self, node: Node[v.Take], _: Seat) -> float:
        return self._best_of(self._row(node.step.source), node)

    def _best_of(self, row: Row, node: Node[Any]) -> float:
        return max((self.card(card) for card in row.cards if node.fits[card] and card not in self.domain), default=0.0)

    def _row(self, zone: Zone) -> Row:
        view = self.view
        return {Zone.AGORA: view.agora, Zone.ORACLE: view.oracle}.get(zone, view.discard)

    def _row_access(self, node: Node[Any], _: Seat) -> float:
        return max(0.0, self._best_of(self.view.oracle, node) - self._best_of(self.view.agora, node))

    def _reserve(self, node: Node[Any], _: Seat) -> float:
        return 0.3 * self._best_of(self.view.agora, node) * (self.view.table.round < LAST_ROUND)

    def _take_citizen(self, _: Node[Any], __: Seat) -> float:
        return CITIZEN_IN_HAND

    def _peek_take(self, _: Node[Any], __: Seat) -> float:
        return UNSEEN

    def _look(self, _: Node[Any], __: Seat) -> float:
        return LOOK

    def _move(self, node: Node[v.RowMove], _: Seat) -> float:
        """Rate clearing a card away: what its level gives is counted by the step after it, and not known yet."""
        if node.step.source is Zone.DECK:
            return 0.0
        return PRESTIGE * max((self.tables.level[card] for card in self._row(node.step.source).cards), default=0)

    def _column(self, _: Node[Any], __: Seat) -> float:
        return COLUMN if self.view.table.round < LAST_ROUND or not self.view.table.took else 0.0

    # -- transfers -------------------------------------------------------------------------------------------

    def _transfer(self, node: Node[v.Transfer], subject: Seat) -> float:
        step = node.step
        if subject != self.seat:
            return TRANSFER * step.n if any(self.view.domains[subject].cards) else 0.0
        if step.source is Zone.AGORA:
            return max((self.transfer_new(card) for card in self.view.agora.cards if node.fits[card]), default=0.0)

        cards = [design for design in self.domain if node.fits[design] and self._can_pay(design, step.cost)]
        saved = {Price.NORMAL: 0, Price.ONE_LESS: 1, Price.FREE: 3}[step.cost]
        worths = [self.transfer(card) + min(saved, self.tables.level[card]) * self.gold for card in cards]
        return sum(worth for worth in sorted(worths, reverse=True)[: step.n] if worth > 0)

    def _can_pay(self, design: int, price: Price) -> bool:
        less = {Price.NORMAL: 0, Price.ONE_LESS: 1, Price.FREE: 3}[price]
        return self.tables.level[design] - less <= self.me.gold

    def _limit(self, node: Node[v.LimitMod], _: Seat) -> float:
        return TRANSFER * node.step.plus * (len(self.domain) > 2)

    def _discount(self, node: Node[v.CostMod], _: Seat) -> float:
        return self.gold * node.step.minus

    # -- other cards' powers ---------------------------------------------------------------------------------

    def _reuse(self, node: Node[v.Reuse], _: Seat) -> float:
        found = {
            design
            for zone in node.step.zones
            for design in self._zone(zone)
            if design
            and node.fits[design]
            and self.tables.activation[design] in node.step.activation
            and not self.tables.uses_others[design]
        }
        return max((self.step(self.tables.effect[design], self.seat) for design in found), default=0.0)

    def _zone(self, zone: Zone) -> Iterator[int]:
        view = self.view
        if zone is Zone.OWN_DOMAIN:
            yield from view.domains[self.seat].cards
        elif zone is Zone.OWN_ELYSIUM:
            for legend in self.legends:
                yield from legend.cards
        elif zone is Zone.OPPONENTS_DOMAIN:
            for seat in self._others():
                yield from view.domains[seat].cards
        else:
            yield from view.agora.cards

    def _recharge(self, node: Node[Any], _: Seat) -> float:
        if self.view.table.round == LAST_ROUND:
            return 0.0
        ready = [design for design in self._spent(self.view.domains[self.seat]) if node.fits[design]]
        effects = (self.tables.effect[design] for design in ready if not self.tables.uses_others[design])
        return AGAIN * max((self.step(effect, self.seat) for effect in effects), default=0.0)

    def _spent(self, domain: Domain) -> Iterator[int]:
        """Yield the cards of a Domain that are turned, or Trigger cards without their ring."""
        for design, marks in zip(domain.cards, domain.marks, strict=True):
            is_trigger = self.tables.activation[design] == Activation.TRIGGER
            if design and (not marks & 2 if is_trigger else marks & 1):
                yield design

    def _passive(self, _: Node[Any], __: Seat) -> float:
        return 0.0

    # -- quantities and conditions ---------------------------------------------------------------------------

    def _has(self, seat: Seat, resource: int) -> int:
        player = self.view.players[seat]
        return (player.gold, player.vp, player.pp)[resource]

    def _value(self, amount: Amount, subject: Seat) -> int:
        if amount.counter < 0:
            return amount.plus
        seat = self.seat if amount.of_owner else subject
        return min(amount.most, amount.plus + amount.times * _COUNT[amount.counter](self, seat, amount))

    def _holds(self, check: Check, subject: Seat) -> bool:
        if check.how in (NONE_BELOW, NONE_ABOVE):
            all_have = [self._has(player.seat, check.resource) for player in self.view.players]
            return all_have[self.seat] == (min(all_have) if check.how == NONE_BELOW else max(all_have))
        left, right = self._value(check.left, subject), self._value(check.right, subject)
        return _COMPARED[_COMPARISONS[check.how]](left, right)

    def _in_legends(self, seat: Seat) -> list[int]:
        legends = self.view.elysiums[seat].legends
        return [card for legend in legends if legend.kind is not LegendKind.LONE for card in legend.cards if card]

    def _count_gold(self, seat: Seat, _: Amount) -> int:
        return self._has(seat, GOLD)

    def _count_pp(self, seat: Seat, _: Amount) -> int:
        return self._has(seat, PP)

    def _count_domain(self, seat: Seat, amount: Amount) -> int:
        return sum(amount.fits[design] for design in self.view.domains[seat].cards)

    def _count_families(self, seat: Seat, _: Amount) -> int:
        return len({self.tables.family[design] for design in self.view.domains[seat].cards if design})

    def _count_owned(self, seat: Seat, _: Amount) -> int:
        in_elysium = sum(card > 0 for legend in self.view.elysiums[seat].legends for card in legend.cards)
        return in_elysium + sum(card > 0 for card in self.view.domains[seat].cards)

    def _count_legend_cards(self, seat: Seat, amount: Amount) -> int:
        return sum(amount.fits[design] for design in self._in_legends(seat))

    def _count_legend_families(self, seat: Seat, _: Amount) -> int:
        return len({self.tables.family[design] for design in self._in_legends(seat)})

    def _count_legend_symbols(self, seat: Seat, _: Amount) -> int:
        return len({self.tables.activation[design] for design in self._in_legends(seat)})

    def _count_legends(self, seat: Seat, amount: Amount) -> int:
        return sum(
            amount.min_cards <= len(legend.cards) <= amount.max_cards and amount.kind in (0, legend.kind)
            for legend in self.view.elysiums[seat].legends
        )

    def _count_tiles(self, seat: Seat, _: Amount) -> int:
        return sum(tile.holder == seat for tile in self.view.tiles.tiles)

    def _count_row(self, _: Seat, amount: Amount) -> int:
        return sum(amount.fits[design] for design in (self.view.oracle if amount.oracle else self.view.agora).cards)

    def _count_transferred(self, seat: Seat, _: Amount) -> int:
        return self.view.players[seat].transferred

    def _count_moved(self, _: Seat, __: Amount) -> int:
        return self.view.table.moved_level


_WORTH: Final[dict[type[v.Step], Callable[[Steps, Node[Any], Seat], float]]] = {
    v.Seq: Steps._seq,
    v.Choose: Steps._choose,
    v.May: Steps._may,
    v.If: Steps._if,
    v.EachOpponent: Steps._each_opponent,
    v.PickOpponent: Steps._pick_opponent,
    v.Pay: Steps._pay,
    v.Sacrifice: Steps._sacrifice,
    v.Gain: Steps._gain,
    v.Score: Steps._gain,
    v.Lose: Steps._lose,
    v.Tribute: Steps._lose,
    v.LoseCard: Steps._lose_card,
    v.Take: Steps._take,
    v.TakeCitizen: Steps._take_citizen,
    v.PeekTake: Steps._peek_take,
    v.Peek: Steps._look,
    v.RowMove: Steps._move,
    v.Reserve: Steps._reserve,
    v.RowAccess: Steps._row_access,
    v.AcquireMod: Steps._look,
    v.ColumnReturn: Steps._column,
    v.Transfer: Steps._transfer,
    v.LimitMod: Steps._limit,
    v.CostMod: Steps._discount,
    v.Reuse: Steps._reuse,
    v.Recharge: Steps._recharge,
    v.CitizenMod: Steps._passive,
    v.On: Steps._passive,
    v.Shield: Steps._passive,
    v.Pardon: Steps._passive,
}
"""By kind of step: what rates it, for a subject."""

_COUNTS: Final[dict[Counter, Callable[[Steps, Seat, Amount], int]]] = {
    Counter.GOLD: Steps._count_gold,
    Counter.PP: Steps._count_pp,
    Counter.DOMAIN_CARDS: Steps._count_domain,
    Counter.DOMAIN_FAMILIES: Steps._count_families,
    Counter.OWNED_CARDS: Steps._count_owned,
    Counter.LEGEND_CARDS: Steps._count_legend_cards,
    Counter.LEGEND_FAMILIES: Steps._count_legend_families,
    Counter.LEGEND_SYMBOLS: Steps._count_legend_symbols,
    Counter.LEGENDS: Steps._count_legends,
    Counter.BONUS_TILES: Steps._count_tiles,
    Counter.ROW_CARDS: Steps._count_row,
    Counter.TRANSFERRED_NOW: Steps._count_transferred,
    Counter.MOVED_LEVEL: Steps._count_moved,
}
_COUNT: Final = tuple(_COUNTS[counter] for counter in COUNTERS)

_COMPARISONS: Final = tuple(Comparison)
_COMPARED: Final[dict[Comparison, Callable[[int, int], bool]]] = {
    Comparison.AT_LEAST: int.__ge__,
    Comparison.MORE: int.__gt__,
    Comparison.LESS: int.__lt__,
    Comparison.AT_MOST: int.__le__,
    Comparison.EQUAL: int.__eq__,
}
