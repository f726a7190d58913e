"""A card set laid out for play: designs, cards and the steps of their effects by number. Made once a set.

A *design* is numbered from 1 in the order of the set (0: a Citizen, or none), a *card* from 1 in the order of the
designs, so that copies are neighbours. A step of an effect is a *node* with a number, so that the agenda holds
nothing but numbers.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from agon_engine.elysium import vocabulary as v
from agon_engine.elysium.card_set import CardSet
from agon_engine.elysium.checking import children
from agon_engine.elysium.enums import COLOURS, Activation, Colour, Family, LegendKind
from agon_engine.elysium.notation import Actions, actions_of
from agon_engine.elysium.words import Comparison, Counter, Kind, LegendType, Loss, Resource, Who, Zone

if TYPE_CHECKING:
    from agon_engine.elysium.effects import Can, Run, Steps

GOLD: Final = 0
VP: Final = 1
PP: Final = 2
RESOURCES: Final = (Resource.GOLD, Resource.VP, Resource.PP)
"""By index."""

LOSSES: Final = tuple(Loss)
"""What a shield keeps: the resources by their index, then cards."""
CARD_LOSS: Final = LOSSES.index(Loss.CARD)
COUNTERS: Final = tuple(Counter)
COLUMN_SETS: Final = 1 << len(COLOURS)
ALL_COLUMNS: Final = COLUMN_SETS - 1


class Designs:
    """The designs of a set; one object a set, so that what follows from it is worked out once."""

    __slots__ = ("cards",)

    def __init__(self, cards: tuple[v.Card, ...]) -> None:
        self.cards = cards


_LEGEND_KINDS: Final = {
    LegendType.ANY: 0,
    LegendType.FAMILY: int(LegendKind.FAMILY),
    LegendType.LEVEL: int(LegendKind.LEVEL),
}


class Amount:
    """A quantity: `plus + times * counter`, at most `most`. Without a counter (-1) it is `plus`."""

    __slots__ = (
        "counter",
        "fits",
        "kind",
        "max_cards",
        "min_cards",
        "most",
        "not_source",
        "of_owner",
        "oracle",
        "plus",
        "times",
    )

    def __init__(self, quantity: v.Quantity, designs: Designs) -> None:
        per = quantity if isinstance(quantity, v.Per) else v.Per(Counter.GOLD, times=0, plus=quantity)
        self.counter: int = COUNTERS.index(per.counter) if isinstance(quantity, v.Per) else -1
        self.times: int = per.times
        self.plus: int = per.plus
        self.most: int = 1_000_000 if per.most is None else per.most
        self.of_owner: bool = per.who is Who.OWNER
        self.fits: tuple[bool, ...] = fitting(per.filter, designs)
        self.not_source: bool = per.filter.not_source
        self.oracle: bool = per.row is Zone.ORACLE
        self.min_cards: int = per.min_cards
        self.max_cards: int = per.max_cards
        self.kind: int = _LEGEND_KINDS[per.kind]
        """A LegendKind, or 0: any."""


NONE_BELOW: Final = -1
NONE_ABOVE: Final = -2
ALWAYS: Final = -3


class Check:
    """A condition: `how` compares `left` and `right` (number of the comparison), or says NONE_BELOW or NONE_ABOVE of
    the resource, or, where the step has no condition, ALWAYS."""

    __slots__ = ("how", "left", "resource", "right")

    def __init__(self, condition: v.Condition | None, designs: Designs) -> None:
        self.resource: int = GOLD
        self.left: Amount = Amount(0, designs)
        self.right: Amount = self.left
        self.how: int = ALWAYS
        if isinstance(condition, v.Compare):
            self.left = Amount(condition.left, designs)
            self.right = Amount(condition.right, designs)
            self.how = tuple(Comparison).index(condition.how)
        elif condition is not None:
            self.resource = RESOURCES.index(condition.resource)
            self.how = NONE_BELOW if isinstance(condition, v.NoneBelow) else NONE_ABOVE


S = TypeVar("S", bound=v.Step)


class Node(Generic[S]):
    """A step of an effect, ready to be run."""

    __slots__ = ("amount", "can", "check", "fits", "kids", "not_source", "number", "plain", "resource", "run", "step")

    def __init__(self, number: int, step: S, designs: Designs, can: Can, run: Run) -> None:
        self.number = number
        self.step = step
        self.can = can
        """Tells whether the step would do something."""
        self.run = run
        self.kids: tuple[int, ...] = ()
        """The numbers of the steps inside."""
        self.resource: int = RESOURCES.index(getattr(step, "resource", Resource.GOLD))
        quantity = getattr(step, "n", 0)
        self.amount: Amount = Amount(quantity, designs)
        self.plain: int = quantity if isinstance(quantity, int) else -1
        """The amount where it is a plain number, else -1."""
        self.check: Check = Check(getattr(step, "condition", None) or getattr(step, "where", None), designs)
        chosen: v.Filter = getattr(step, "filter", v.FAMILY_CARDS)
        self.fits: tuple[bool, ...] = fitting(chosen, designs)
        """By design: whether the filter lets it through."""
        self.not_source: bool = chosen.not_source


class Passive:
    """What a Permanent card does as long as it lies in a Domain."""

    __slots__ = ("citizen_min", "cost_minus", "leave_out", "on", "shield")

    def __init__(self) -> None:
        self.shield: int = 0
        """Bits by index in LOSSES."""
        self.cost_minus: int = 0
        self.citizen_min: int = 2
        self.leave_out: list[Node[v.AcquireMod]] = []
        self.on: list[Node[v.On]] = []


@lru_cache(maxsize=1024)
def fitting(chosen: v.Filter, designs: Designs) -> tuple[bool, ...]:
    """Return by design whether a filter lets it through; the first is for a Citizen."""
    bounded = bool(chosen.level_min or chosen.level_max or chosen.activation)
    citizen = chosen.kind is not Kind.FAMILY and not bounded
    return (citizen, *(_fits(chosen, card) for card in designs.cards))


def _fits(chosen: v.Filter, card: v.Card) -> bool:
    return (
        chosen.kind is not Kind.CITIZEN
        and chosen.level_min <= card.level <= (chosen.level_max or 3)
        and (not chosen.activation or card.activation in chosen.activation)
    )


class Tables:
    """A card set by numbers. `design` is indexed by card, what is of a design by design, nodes by their number."""

    def __init__(self, cards: CardSet, steps: Steps) -> None:
        """`steps` is what the rules say of each kind of step."""
        designs = cards.cards
        self.cards = cards
        self.steps = steps
        known = Designs(designs)
        self.count: int = sum(card.copies for card in designs)
        self.designs: int = len(designs)
        numbers = [0]
        for number, card in enumerate(designs, 1):
            numbers += [number] * card.copies
        self.design: tuple[int, ...] = tuple(numbers)
        self.first_card: tuple[int, ...] = (0, *(numbers.index(number) for number in range(1, self.designs + 1)))
        self.copies: tuple[int, ...] = (0, *(card.copies for card in designs))
        self.ids: tuple[str, ...] = ("citizen", *(card.id for card in designs))
        self.family: tuple[int, ...] = (0, *(int(card.family) for card in designs))
        self.level: tuple[int, ...] = (0, *(card.level for card in designs))
        self.activation: tuple[int, ...] = (0, *(int(card.activation) for card in designs))
        by_id = sorted(range(1, self.designs + 1), key=lambda number: designs[number - 1].id)
        ranks = {number: rank for rank, number in enumerate(by_id)}
        self.rank: tuple[int, ...] = (-1, *(ranks[number] for number in range(1, self.designs + 1)))
        """The place in the order of ids, where that decides who comes first."""

        self.nodes: list[Node[Any]] = []
        self._lay_out(v.Seq(), known)  # number 0: none
        self.effect: tuple[int, ...] = (0, *(self._lay_out(card.effect, known) for card in designs))
        """The node of the whole effect."""
        self.uses_others: tuple[bool, ...] = (True, *(_holds(card.effect, (v.Reuse, v.Recharge)) for card in designs))
        """Whether the effect holds reuse or recharge: then it is never reused or recharged itself."""
        self.passive: tuple[Passive | None, ...] = tuple(self._passive(number) for number in range(self.designs + 1))
        self.open_to: tuple[tuple[int, ...], ...] = tuple(
            (0, *(_open_to(card.columns, left_out) for card in designs)) for left_out in range(3)
        )
        """By number of symbols left out and by design: bit m is set where the columns of mask m are enough."""
        self.actions: Actions = actions_of(self.ids)
        self.quest_columns = (
            tuple(tuple(_bits(pair) for pair in pairs) for pairs in cards.pediment_two),
            tuple(tuple(_bits((colour,)) for colour in side) for side in cards.pediment),
        )
        """For two players and for more, by side and quest: the columns, one of which it takes."""
        self.by_family: tuple[tuple[int, ...], ...] = tuple(
            tuple(card for card in range(1, self.count + 1) if self.family[self.design[card]] == family)
            for family in Family
        )
        """The cards of each family."""

    def _lay_out(self, step: v.Step, designs: Designs) -> int:
        can, run = self.steps[type(step)]
        node: Node[Any] = Node(len(self.nodes), step, designs, can, run)
        self.nodes.append(node)
        node.kids = tuple(self._lay_out(child, designs) for child in children(step))
        return node.number

    def _passive(self, design: int) -> Passive | None:
        if self.activation[design] != Activation.PERMANENT:
            return None

        passive = Passive()
        waiting = [self.effect[design]]
        while waiting:
            node = self.nodes[waiting.pop(0)]
            step = node.step
            if isinstance(step, v.Seq):
                waiting = [*node.kids, *waiting]
            elif isinstance(step, v.On):
                passive.on.append(node)
            elif isinstance(step, v.AcquireMod):
                passive.leave_out.append(node)
            elif isinstance(step, v.CostMod):
                passive.cost_minus += step.minus
            elif isinstance(step, v.CitizenMod):
                passive.citizen_min = min(passive.citizen_min, step.min_cards)
            elif isinstance(step, v.Shield):
                for loss in step.against:
                    passive.shield |= 1 << LOSSES.index(loss)
        return passive


def _bits(colours: tuple[Colour, ...]) -> int:
    return sum(1 << (colour - 1) for colour in colours)


def _holds(step: v.Step, kinds: tuple[type[v.Step], ...]) -> bool:
    return isinstance(step, kinds) or any(_holds(child, kinds) for child in children(step))


@lru_cache(maxsize=256)
def _open_to(symbols: tuple[Colour, ...], left_out: int) -> int:
    """Return a bit for each set of columns that fulfils the condition with that many symbols left out (E4.2, C3)."""
    bits = 0
    for columns in range(COLUMN_SETS):
        if _fulfils(symbols, columns, left_out):
            bits |= 1 << columns
    return bits


def _fulfils(symbols: tuple[Colour, ...], columns: int, left_out: int) -> bool:
    if len(symbols) <= left_out:
        return True
    if left_out:
        return any(
            _fulfils((*symbols[:index], *symbols[index + 1 :]), columns, left_out - 1) for index in range(len(symbols))
        )

    colours = [symbol for symbol in symbols if symbol is not Colour.ANY]
    named = 0
    for colour in colours:
        named |= 1 << (colour - 1)
    return columns & named == named and columns.bit_count() >= len(symbols)
