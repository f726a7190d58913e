"""How the vocabulary is written in JSON: one table, from which reading and writing both follow.

Each step is an object whose `op` names it, with the fields listed here. `reading.py` makes values of objects and
collects what is wrong; `writing.py` makes objects of values.
"""

from __future__ import annotations

from dataclasses import MISSING, fields
from enum import StrEnum
from typing import Any, Final, NamedTuple

from agon_engine.elysium import vocabulary as v
from agon_engine.elysium.enums import Activation
from agon_engine.elysium.words import (
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

STEP: Final = "effect"
STEPS: Final = "list of effects"
QUANTITY: Final = "quantity"
CONDITION: Final = "condition"
FILTER: Final = "filter"
INT: Final = "number"
USES: Final = "number or 'all'"
LIMIT: Final = "{n, per: epoch}"
ACTIVATIONS: Final = "list of activations"

Form = str | type[StrEnum] | tuple[type[StrEnum]]
"""What a field holds: one of the words above, a word of an enum, or (in a tuple) a list of such words."""

ACTIVATION_WORDS: Final = {
    "Instantaneous": Activation.INSTANT,
    "Activate": Activation.ACTIVATE,
    "Trigger": Activation.TRIGGER,
    "Permanent": Activation.PERMANENT,
    "Eleusis": Activation.ELEUSIS,
    "Legend": Activation.LEGEND,
    "Chronos": Activation.CHRONOS,
}


class Part(NamedTuple):
    """A field of a JSON object and the attribute that it fills."""

    key: str
    attribute: str
    form: Form


_KEYS: Final = {
    "source": "from",
    "otherwise": "else",
    "condition": "cond",
    "resource": "res",
    "activations": "activation",
    "zones": "zone",
    "per_epoch": "limit",
}
"""By attribute: keys that are words which Python keeps for itself or that read better in a literal."""


def key_of(attribute: str) -> str:
    """Return the key of a step's attribute in its JSON object."""
    return _KEYS.get(attribute, attribute)


def _parts(**forms: Form) -> tuple[Part, ...]:
    """Name the parts by attribute."""
    return tuple(Part(key_of(attribute), attribute, form) for attribute, form in forms.items())


STEP_FORMS: Final[dict[str, tuple[type[v.Step], tuple[Part, ...]]]] = {
    "seq": (v.Seq, _parts(steps=STEPS)),
    "choose": (v.Choose, _parts(options=STEPS, n=INT)),
    "may": (v.May, _parts(do=STEP)),
    "if": (v.If, _parts(condition=CONDITION, then=STEP, otherwise=STEP)),
    "each_opponent": (v.EachOpponent, _parts(do=STEP, where=CONDITION)),
    "pick_opponent": (v.PickOpponent, _parts(do=STEP, where=CONDITION)),
    "pay": (v.Pay, _parts(resource=Resource, n=INT, then=STEP)),
    "sacrifice": (v.Sacrifice, _parts(filter=FILTER, then=STEP)),
    "gain": (v.Gain, _parts(resource=Resource, n=QUANTITY, to=Who)),
    "lose": (v.Lose, _parts(resource=Resource, n=QUANTITY)),
    "tribute": (v.Tribute, _parts(resource=Resource, n=QUANTITY)),
    "take": (v.Take, _parts(source=Zone, filter=FILTER)),
    "take_citizen": (v.TakeCitizen, ()),
    "lose_card": (v.LoseCard, _parts(filter=FILTER, chooser=Who, to=Zone)),
    "row_move": (v.RowMove, _parts(source=Zone, to=Zone, n=INT, filter=FILTER)),
    "peek": (v.Peek, _parts(n=INT, put=Put)),
    "peek_take": (v.PeekTake, _parts(n=INT, filter=FILTER)),
    "reserve": (v.Reserve, _parts(source=Zone, filter=FILTER)),
    "row_access": (v.RowAccess, _parts(row=Zone, scope=Scope)),
    "acquire_mod": (v.AcquireMod, _parts(ignore=Ignore, filter=FILTER, scope=Scope)),
    "column_return": (v.ColumnReturn, _parts(n=INT)),
    "transfer": (v.Transfer, _parts(n=INT, filter=FILTER, cost=Price, source=Zone)),
    "limit_mod": (v.LimitMod, _parts(plus=INT, scope=Scope)),
    "cost_mod": (v.CostMod, _parts(minus=INT, uses=USES, scope=Scope)),
    "citizen_mod": (v.CitizenMod, _parts(min_cards=INT)),
    "reuse": (v.Reuse, _parts(zones=(Zone,), activation=ACTIVATIONS, filter=FILTER)),
    "recharge": (v.Recharge, _parts(activation=ACTIVATIONS, filter=FILTER)),
    "on": (v.On, _parts(event=Happening, do=STEP, filter=FILTER, per_epoch=LIMIT)),
    "shield": (v.Shield, _parts(against=(Loss,))),
    "score": (v.Score, _parts(n=QUANTITY)),
    "pardon": (v.Pardon, _parts(n=INT)),
}
"""By `op`: the step, and the fields of its object."""

OPS: Final = {kind: op for op, (kind, _) in STEP_FORMS.items()}

FILTER_PARTS: Final = (
    Part("kind", "kind", Kind),
    Part("level_min", "level_min", INT),
    Part("level_max", "level_max", INT),
    Part("activation", "activation", ACTIVATIONS),
)
"""And `not_source: true`."""

QUANTITY_PARTS: Final = (
    Part("per", "counter", Counter),
    Part("times", "times", INT),
    Part("plus", "plus", INT),
    Part("max", "most", INT),
    Part("who", "who", Who),
    Part("filter", "filter", FILTER),
    Part("row", "row", Zone),
    Part("min_cards", "min_cards", INT),
    Part("max_cards", "max_cards", INT),
    Part("kind", "kind", LegendType),
)


COUNTER_KEYS: Final[dict[Counter, tuple[str, ...]]] = {
    Counter.DOMAIN_CARDS: ("filter",),
    Counter.LEGEND_CARDS: ("filter",),
    Counter.ROW_CARDS: ("row", "filter"),
    Counter.LEGENDS: ("min_cards", "max_cards", "kind"),
}
"""By counter: the fields of a quantity that only it has."""
_OF_COUNTERS: Final = {key for keys in COUNTER_KEYS.values() for key in keys}


def quantity_parts(counter: Counter) -> tuple[Part, ...]:
    """Return the fields of a quantity with that counter."""
    own = COUNTER_KEYS.get(counter, ())
    return tuple(part for part in QUANTITY_PARTS if part.key in own or part.key not in _OF_COUNTERS)


def default(kind: type[Any], attribute: str) -> Any:
    """Return what an attribute is where the object leaves it out; MISSING: it has to be there."""
    if kind is v.Choose and attribute == "n":
        return 1

    return next((field.default for field in fields(kind) if field.name == attribute), MISSING)
