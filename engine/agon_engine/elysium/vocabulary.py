"""The vocabulary of the cards: steps, quantities, conditions and filters, as values that cannot change.

A card is a literal made of these and of the words in `words.py` (`cards/zeus.py`, …), and reads as its sentence. What a
step does is in the module of its group (`gaining.py`, `taking.py`, …); `checking.py` says which steps may stand where.
Nothing here depends on a match.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from agon_engine.elysium.enums import Activation, Colour, Family
from agon_engine.elysium.words import (
    Comparison,
    Counter,
    Happening,
    Ignore,
    Kind,
    LegendType,
    Loss,
    Price,
    Put,
    Resource,
    Scope,
    Who,
    Zone,
)

# -- filters, quantities, conditions -------------------------------------------------------------------------


@dataclass(frozen=True)
class Filter:
    """Which cards are meant; without anything: every Family card, no Citizen."""

    kind: Kind = Kind.FAMILY
    level_min: int = 0
    level_max: int = 0
    """0: no bound. A Citizen has no level and matches no bound."""
    activation: tuple[Activation, ...] = ()
    """Empty: any."""
    not_source: bool = False
    """Not the card whose power this is."""


FAMILY_CARDS: Final = Filter()
ANY_CARD: Final = Filter(kind=Kind.ANY)


def level(number: int) -> Filter:
    """Return the filter of Family cards of one level."""
    return Filter(level_min=number, level_max=number)


def up_to_level(number: int) -> Filter:
    """Return the filter of Family cards of that level or a lower one."""
    return Filter(level_max=number)


@dataclass(frozen=True)
class Per:
    """A quantity: `plus + times * counter`, at most `most`."""

    counter: Counter
    times: int = 1
    plus: int = 0
    most: int | None = None
    who: Who = Who.SUBJECT
    filter: Filter = FAMILY_CARDS
    row: Zone = Zone.AGORA
    """For `row_cards`."""
    min_cards: int = 2
    """For `legends`, Citizens included."""
    max_cards: int = 99
    kind: LegendType = LegendType.ANY


Quantity = int | Per


@dataclass(frozen=True)
class Compare:
    """Compare two quantities."""

    left: Quantity
    how: Comparison
    right: Quantity


@dataclass(frozen=True)
class NoneBelow:
    """No opponent of the owner has less of it than the owner."""

    resource: Resource


@dataclass(frozen=True)
class NoneAbove:
    """No opponent of the owner has more of it than the owner."""

    resource: Resource


Condition = Compare | NoneBelow | NoneAbove

# -- steps ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Step:
    """A step of a card's effect."""


@dataclass(frozen=True, init=False)
class Seq(Step):
    """One after the other; what cannot be done is skipped."""

    steps: tuple[Step, ...]

    def __init__(self, *steps: Step) -> None:
        object.__setattr__(self, "steps", steps)


@dataclass(frozen=True, init=False)
class Choose(Step):
    """The subject picks `n` different options, each resolved before the next is picked."""

    options: tuple[Step, ...]
    n: int

    def __init__(self, *options: Step, n: int = 1) -> None:
        object.__setattr__(self, "options", options)
        object.__setattr__(self, "n", n)


@dataclass(frozen=True)
class May(Step):
    """The subject may decline."""

    do: Step


@dataclass(frozen=True)
class If(Step):
    """Checked once, at this moment."""

    condition: Condition
    then: Step
    otherwise: Step | None = None


@dataclass(frozen=True)
class EachOpponent(Step):
    """Every opponent in turn is the subject, from the owner's next player on in disc order."""

    do: Step
    where: Condition | None = None


@dataclass(frozen=True)
class PickOpponent(Step):
    """The owner picks an opponent, who is then the subject."""

    do: Step
    where: Condition | None = None


@dataclass(frozen=True)
class Pay(Step):
    """The subject may pay, for something."""

    resource: Resource
    n: int
    then: Step


@dataclass(frozen=True)
class Sacrifice(Step):
    """The subject may discard a card of the own Domain, for something."""

    filter: Filter
    then: Step


@dataclass(frozen=True)
class Gain(Step):
    """From the supply."""

    resource: Resource
    n: Quantity
    to: Who = Who.SUBJECT


@dataclass(frozen=True)
class Lose(Step):
    """To the supply, as far as the subject has it."""

    resource: Resource
    n: Quantity


@dataclass(frozen=True)
class Tribute(Step):
    """From the subject to the owner, as far as the subject has it."""

    resource: Resource
    n: Quantity


@dataclass(frozen=True)
class Take(Step):
    """The subject may take a card, whatever its columns, on top of the turn's normal take."""

    source: Zone
    filter: Filter = FAMILY_CARDS


@dataclass(frozen=True)
class TakeCitizen(Step):
    """The top card of the draw pile goes face down into the subject's Domain."""


@dataclass(frozen=True)
class LoseCard(Step):
    """A Family card of the subject's Domain goes away; `chooser` says which."""

    filter: Filter = FAMILY_CARDS
    chooser: Who = Who.SUBJECT
    to: Zone = Zone.DISCARD


@dataclass(frozen=True)
class RowMove(Step):
    """Cards go from a row (chosen) or from the draw pile (its top) to a row or to the discard pile."""

    source: Zone
    to: Zone
    n: int = 1
    filter: Filter = FAMILY_CARDS


@dataclass(frozen=True)
class Peek(Step):
    """The subject alone looks at the top of the draw pile and puts the cards back."""

    n: int
    put: Put


@dataclass(frozen=True)
class PeekTake(Step):
    """The subject alone looks at the top of the draw pile, may take one, and puts the others at the bottom."""

    n: int
    filter: Filter = FAMILY_CARDS


@dataclass(frozen=True)
class Reserve(Step):
    """A card of the Agora is for the subject alone until the end of the epoch."""

    source: Zone = Zone.AGORA
    filter: Filter = FAMILY_CARDS


@dataclass(frozen=True)
class RowAccess(Step):
    """The normal take of this turn may be from the Oracle."""

    row: Zone = Zone.ORACLE
    scope: Scope = Scope.TURN


@dataclass(frozen=True)
class AcquireMod(Step):
    """The normal take of such a card may leave out one symbol of its condition, or all."""

    ignore: Ignore
    filter: Filter = FAMILY_CARDS
    scope: Scope = Scope.PERMANENT


@dataclass(frozen=True)
class ColumnReturn(Step):
    """Dismissed columns of choice stand again."""

    n: int = 1


@dataclass(frozen=True)
class Transfer(Step):
    """The subject may transfer up to `n` cards now; the quest's limit does not count them."""

    n: int = 1
    filter: Filter = FAMILY_CARDS
    cost: Price = Price.NORMAL
    source: Zone = Zone.DOMAIN


@dataclass(frozen=True)
class LimitMod(Step):
    """The subject's quest allows more transfers in this epoch."""

    plus: int = 1
    scope: Scope = Scope.EPOCH


@dataclass(frozen=True)
class CostMod(Step):
    """The subject's transfers cost less: the next `uses` ones, or all (None)."""

    minus: int
    uses: int | None = None
    scope: Scope = Scope.PERMANENT


@dataclass(frozen=True)
class CitizenMod(Step):
    """Citizens may be added to Legends of at least so many cards."""

    min_cards: int


@dataclass(frozen=True)
class Reuse(Step):
    """Resolve the effect of another card as its owner; that card stays as it is."""

    zones: tuple[Zone, ...]
    activation: tuple[Activation, ...]
    filter: Filter = FAMILY_CARDS


@dataclass(frozen=True)
class Recharge(Step):
    """Straighten a turned card of the own Domain, or give a Trigger card a ring again."""

    activation: tuple[Activation, ...]
    filter: Filter = FAMILY_CARDS


@dataclass(frozen=True)
class On(Step):
    """Each time it happens, `do` is resolved for the owner: at most `per_epoch` times, where that is given."""

    event: Happening
    do: Step
    filter: Filter = FAMILY_CARDS
    per_epoch: int | None = None


@dataclass(frozen=True)
class Shield(Step):
    """Powers of others cannot make the owner lose these."""

    against: tuple[Loss, ...]


@dataclass(frozen=True)
class Score(Step):
    """The subject gains VP at the end."""

    n: Quantity


@dataclass(frozen=True)
class Pardon(Step):
    """So many of the owner's Citizens cost nothing at the end."""

    n: int


# -- cards ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Card:
    """A design: what is the same on all its copies."""

    id: str
    name: str
    family: Family
    level: int
    copies: int
    columns: tuple[Colour, ...]
    """The acquisition condition: one or two symbols."""
    activation: Activation
    text: str
    effect: Step
    estimate: float = 0.0
    """What the power is worth over a game, in VP, by judgement; 0: not estimated. No rule uses it."""
