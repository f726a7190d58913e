"""What a card set must fulfil beyond being readable: the frame of the game, and where each step may stand (T4, T5, the
vocabulary's notes). The house set is checked when the game is made, others when they are read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from agon_engine.elysium import vocabulary as v
from agon_engine.elysium.card_set import CardSet
from agon_engine.elysium.enums import COLOURS, Activation, Colour, Family
from agon_engine.elysium.forms import ACTIVATION_WORDS, OPS, key_of
from agon_engine.elysium.words import Scope, Zone

CARDS_OF_FAMILY: Final = 21
MOST: Final = 99
"""No number of a set is larger."""
LEVELS: Final = (1, 3)
COPIES: Final = (1, CARDS_OF_FAMILY)
TABLE: Final = (0, MOST)
"""What a quest or a level bonus tile is worth."""
VERSIONS: Final = (1, 1_000_000)
MOST_PEEKED: Final = 3
MOST_OPTIONS: Final = 9
MOST_STEPS: Final = 40
"""Of one effect, those inside others included; the house set has no more than a quarter of that. What happens by itself
between two decisions is at most one effect of each of the 105 cards in play, each a few times as long where it happens
to three opponents: all Chronos cards at the end, or `on`s of one event. That is below `agenda.MAX_STEPS`."""
SIDES: Final = ("side_A", "side_B")

_NUMBERS: Final = ("n", "plus", "minus", "min_cards", "uses", "per_epoch")
"""The fields of steps that hold one."""
_PASSIVE = (v.Seq, v.On, v.Shield, v.CostMod, v.CitizenMod, v.AcquireMod)
_AUTOMATIC = (v.Seq, v.If, v.EachOpponent, v.Gain, v.Lose, v.Tribute)
_CHRONOS = (*_AUTOMATIC, v.Score, v.Pardon)
_NEVER_USED = (v.On, v.Shield, v.CitizenMod, v.Score, v.Pardon)
_NEVER_OTHERS = (v.Take, v.TakeCitizen, v.Peek, v.PeekTake, v.Reuse, v.Reserve, v.RowAccess, v.AcquireMod)
"""What takes, peeks, reuses or reserves, and what changes the take of a turn that is not the subject's."""
_REUSED = (Activation.INSTANT, Activation.ACTIVATE, Activation.TRIGGER, Activation.ELEUSIS)
_RECHARGED = (Activation.ACTIVATE, Activation.TRIGGER, Activation.ELEUSIS)

Bounds = tuple[int, int]


def bounds(kind: type[object], attribute: str) -> Bounds:
    """Return the least and the greatest that a number of the vocabulary may be."""
    if attribute == "n" and kind in (v.Peek, v.PeekTake):
        return 1, MOST_PEEKED
    if attribute == "n" and kind is v.Choose:
        return 1, MOST_OPTIONS
    if kind is v.Filter:
        return 0, LEVELS[1]
    if kind is v.Per:
        return -MOST, MOST
    return 1, MOST


def number_between(least_and_most: Bounds) -> str:
    """Say what a number may be."""
    return "a whole number from {} to {}".format(*least_and_most)


class Mistake(NamedTuple):
    """What is wrong with a set."""

    at: str
    """The card's id, or the part of the set."""
    fields: tuple[str, ...]
    """What it follows from, each as the path in its object: judged where all of that could be read."""
    text: str


def mistakes_in(cards: CardSet, unread: Mapping[str, Collection[str]] | None = None) -> list[str]:
    """Return all that is wrong with a set, each with the card's id or the part of the set.

    `unread`: by the same names, the fields for which something stands in because they could not be read. What would
    follow from one of them is no mistake.
    """
    hidden = unread or {}
    found = [mistake for card in cards.cards for mistake in mistakes_in_card(card)]
    if "cards" not in hidden.get("the file", ()) and all(_is_counted(hidden.get(card.id, ())) for card in cards.cards):
        found += _families(cards)
    found += [*_ids(cards), *_version(cards), *_quests(cards), *_pediment(cards), *_bonus(cards)]
    return [f"{at}: {text}" for at, fields, text in found if _are_read(fields, hidden.get(at, ()))]


def _is_counted(unread: Collection[str]) -> bool:
    return _are_read(("family", "copies"), unread)


def _are_read(fields: tuple[str, ...], unread: Collection[str]) -> bool:
    for path in unread:
        inside = (f"{path}.", f"{path}[")
        if not path or any(field == path or field.startswith(inside) for field in fields):
            return False
    return True


def _families(cards: CardSet) -> Iterator[Mistake]:
    for family in Family:
        if family:
            copies = sum(card.copies for card in cards.cards if card.family is family)
            if copies != CARDS_OF_FAMILY:
                yield Mistake(family.name.lower(), (), f"a family has {CARDS_OF_FAMILY} cards, not {copies!r}")


def _ids(cards: CardSet) -> Iterator[Mistake]:
    for card_id, count in Counter(card.id for card in cards.cards).items():
        if count > 1:
            yield Mistake(card_id, (), f"the id is given {count} times")


def _version(cards: CardSet) -> Iterator[Mistake]:
    yield from _number("the file", "version", cards.version, VERSIONS)


def _quests(cards: CardSet) -> Iterator[Mistake]:
    for name, quests, most in (("players_2", cards.quests_two, 2), ("players_3_4", cards.quests_more, 4)):
        numbers = [quest.number for quest in quests]
        if numbers != list(range(1, most + 1)):
            fields = (name, *(f"{name}[{place}].number" for place in range(len(numbers))))
            yield Mistake("quests", fields, f"{name} are numbered 1 to {most}, not {numbers!r}")
    placed = [
        (f"{name}[{place}]", quest)
        for name, quests in (("players_2", cards.quests_two), ("players_3_4", cards.quests_more))
        for place, quest in enumerate(quests)
    ]
    for path, quest in (*placed, ("incomplete", cards.incomplete)):
        for name in ("gold", "vp", "transfers"):
            yield from _number("quests", f"{path}.{name}", getattr(quest, name), TABLE)


def _bonus(cards: CardSet) -> Iterator[Mistake]:
    for level, vp in enumerate(cards.level_bonus, 1):
        yield from _number("level_bonus", f"level {level}", vp, TABLE)


def _pediment(cards: CardSet) -> Iterator[Mistake]:
    for name, side in zip(SIDES, cards.pediment, strict=True):
        if sorted(side) != list(COLOURS):
            shown = [colour.name.lower() for colour in side]
            yield Mistake("pediment", _items(name, side), f"{name} has each of the four colours once, not {shown!r}")
    for name, pairs in zip(SIDES, cards.pediment_two, strict=True):
        if [len(pair) for pair in pairs] != [2, 2] or sorted(pairs[0] + pairs[1]) != list(COLOURS):
            path = f"two_players.{name}"
            fields = tuple(field for place, pair in enumerate(pairs) for field in _items(f"{path}[{place}]", pair))
            yield Mistake("pediment", (path, *fields), f"{path} has two pairs, with each of the four colours once")


def _items(path: str, values: Sequence[object]) -> tuple[str, ...]:
    return (path, *(f"{path}[{place}]" for place in range(len(values))))


def _number(at: str, path: str, number: int, allowed: Bounds) -> Iterator[Mistake]:
    if not allowed[0] <= number <= allowed[1]:
        yield Mistake(at, (path,), f"{path} is {number_between(allowed)}, not {number!r}")


def mistakes_in_card(card: v.Card) -> Iterator[Mistake]:
    """Yield all that is wrong with a card by itself."""
    if not _is_id(card.id):
        yield Mistake(card.id, ("id",), "an id is small letters and digits in words joined by '-', two words or more")
    yield from _number(card.id, "level", card.level, LEVELS)
    yield from _number(card.id, "copies", card.copies, COPIES)
    if not 1 <= len(card.columns) <= 2:
        yield Mistake(card.id, ("columns",), f"columns are one or two symbols, not {len(card.columns)!r}")
    if len(card.columns) == 2 and card.columns[0] == card.columns[1] != Colour.ANY:
        twice = f"columns ask for the same colour twice: {card.columns[0].name.lower()!r}"
        yield Mistake(card.id, _items("columns", card.columns), twice)

    steps = list(_walk(card.effect, "effect", ()))
    if len(steps) > MOST_STEPS:
        yield Mistake(card.id, ("effect",), f"effect has at most {MOST_STEPS} steps, not {len(steps)!r}")
    for step, path, inside in steps:
        yield from _standing(card, step, path, inside)
        yield from _step(card, step, path)
        yield from _scopes(card, step, path)
        yield from _zones(card, step, path)


def _standing(card: v.Card, step: v.Step, path: str, inside: tuple[v.Step, ...]) -> Iterator[Mistake]:
    """Judge whether a step may stand where it does."""
    op = OPS[type(step)]
    allowed: tuple[type[v.Step], ...] | None = None
    if card.activation is Activation.PERMANENT:
        allowed = _PASSIVE
    elif card.activation is Activation.CHRONOS:
        allowed = _CHRONOS
    in_on = any(isinstance(outer, v.On) for outer in inside)
    by_card = ("activation", f"{path}.op")
    if in_on and not isinstance(step, _AUTOMATIC):
        yield Mistake(card.id, (f"{path}.op",), f"inside on there may be {_named(_AUTOMATIC)}, not {op!r}")
    elif allowed is not None and not in_on and not isinstance(step, allowed):
        text = f"a {card.activation.name.lower()} card may have {_named(allowed)}, not {op!r}"
        yield Mistake(card.id, by_card, text)
    elif allowed is None and isinstance(step, _NEVER_USED):
        yield Mistake(card.id, by_card, f"{op!r} is for permanent or chronos cards")
    of_others = any(isinstance(outer, (v.EachOpponent, v.PickOpponent)) for outer in inside)
    if of_others and isinstance(step, (*_NEVER_OTHERS, v.EachOpponent, v.PickOpponent)):
        text = f"inside each_opponent and pick_opponent there is never {op!r} (T4)"
        yield Mistake(card.id, (f"{path}.op",), text)


def _step(card: v.Card, step: v.Step, path: str) -> Iterator[Mistake]:
    for name in _NUMBERS:
        number = getattr(step, name, None)
        if isinstance(number, int):
            yield from _number(card.id, f"{path}.{key_of(name)}", number, bounds(type(step), name))
    if isinstance(step, v.Choose) and not step.n <= len(step.options) <= MOST_OPTIONS:
        text = f"choose has at most {MOST_OPTIONS} options and n of 1 to their number, not {step.n!r}"
        yield Mistake(card.id, (f"{path}.n", f"{path}.options"), text)
    if isinstance(step, v.Seq) and not step.steps:
        yield Mistake(card.id, (f"{path}.steps",), "seq has at least one step")
    if isinstance(step, (v.Reuse, v.Recharge)):
        good = _REUSED if isinstance(step, v.Reuse) else _RECHARGED
        words = {activation: word for word, activation in ACTIVATION_WORDS.items()}
        told = ", ".join(word for activation, word in words.items() if activation in good)
        for place, activation in enumerate(step.activation):
            if activation not in good:
                text = f"{OPS[type(step)]}.activation is of {told}, not {words[activation]!r}"
                yield Mistake(card.id, (f"{path}.activation[{place}]",), text)


def _scopes(card: v.Card, step: v.Step, path: str) -> Iterator[Mistake]:
    permanent = card.activation is Activation.PERMANENT
    good = {
        v.RowAccess: (Scope.TURN,),
        v.LimitMod: (Scope.EPOCH,),
        v.AcquireMod: (Scope.PERMANENT,) if permanent else (Scope.TURN,),
        v.CostMod: (Scope.PERMANENT,) if permanent else (Scope.EPOCH,),
    }.get(type(step))
    scope = getattr(step, "scope", None)
    if good is not None and scope not in good:
        text = f"{OPS[type(step)]}.scope is {good[0]} on this card, not {str(scope)!r}"
        yield Mistake(card.id, (f"{path}.scope", "activation"), text)
    if isinstance(step, v.CostMod) and permanent and step.uses is not None:
        text = f"cost_mod.uses is 'all' on a permanent card, not {step.uses!r}"
        yield Mistake(card.id, (f"{path}.uses", "activation"), text)


def _zones(card: v.Card, step: v.Step, path: str) -> Iterator[Mistake]:
    rows = (Zone.AGORA, Zone.ORACLE)
    good: dict[type[v.Step], dict[str, tuple[Zone, ...]]] = {
        v.Take: {"source": (*rows, Zone.DISCARD)},
        v.LoseCard: {"to": (Zone.DISCARD, Zone.AGORA)},
        v.RowMove: {"source": (*rows, Zone.DECK), "to": (*rows, Zone.DISCARD)},
        v.Reserve: {"source": (Zone.AGORA,)},
        v.RowAccess: {"row": (Zone.ORACLE,)},
        v.Transfer: {"source": (Zone.DOMAIN, Zone.AGORA)},
    }
    for name, zones in good.get(type(step), {}).items():
        zone, key = getattr(step, name), key_of(name)
        if zone not in zones:
            text = f"{OPS[type(step)]}.{key} is one of {', '.join(zones)}, not {str(zone)!r}"
            yield Mistake(card.id, (f"{path}.{key}",), text)
    if isinstance(step, v.RowMove) and step.source is step.to:
        text = f"row_move goes from one place to another, not to the same: {str(step.to)!r}"
        yield Mistake(card.id, (f"{path}.from", f"{path}.to"), text)
    if isinstance(step, v.Reuse):
        zones = (Zone.OWN_DOMAIN, Zone.OWN_ELYSIUM, Zone.OPPONENTS_DOMAIN, Zone.AGORA)
        for place, zone in enumerate(step.zones):
            if zone not in zones:
                text = f"reuse.zone is of {', '.join(zones)}, not {str(zone)!r}"
                yield Mistake(card.id, (f"{path}.zone[{place}]",), text)


def _is_id(text: str) -> bool:
    words = text.split("-")
    plain = all(word.isascii() and word.isalnum() and word == word.lower() for word in words)
    return plain and len(words) > 1 and words[0].isalpha()


def _walk(step: v.Step, path: str, inside: tuple[v.Step, ...]) -> Iterator[tuple[v.Step, str, tuple[v.Step, ...]]]:
    yield step, path, inside
    for place, child in _placed(step):
        yield from _walk(child, f"{path}.{place}", (*inside, step))


def children(step: v.Step) -> tuple[v.Step, ...]:
    """Return the steps inside a step, in their order."""
    return tuple(child for _, child in _placed(step))


def _placed(step: v.Step) -> tuple[tuple[str, v.Step], ...]:
    """Return the steps inside a step, each with its place in the step's object."""
    if isinstance(step, v.Seq):
        return tuple((f"steps[{number}]", child) for number, child in enumerate(step.steps))
    if isinstance(step, v.Choose):
        return tuple((f"options[{number}]", child) for number, child in enumerate(step.options))
    if isinstance(step, v.If):
        then = ("then", step.then)
        return (then,) if step.otherwise is None else (then, ("else", step.otherwise))
    if isinstance(step, (v.May, v.EachOpponent, v.PickOpponent, v.On)):
        return (("do", step.do),)
    if isinstance(step, (v.Pay, v.Sacrifice)):
        return (("then", step.then),)
    return ()


def _named(kinds: tuple[type[v.Step], ...]) -> str:
    return ", ".join(OPS[kind] for kind in kinds)
