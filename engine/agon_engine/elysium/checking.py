"""What a card set must fulfil beyond being readable: the frame of the game, and where each step may stand (T4, T5, the
vocabulary's notes). The house set is checked when the game is made, others when they are read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator

from agon_engine.elysium import vocabulary as v
from agon_engine.elysium.card_set import CardSet
from agon_engine.elysium.enums import COLOURS, Activation, Colour, Family
from agon_engine.elysium.forms import ACTIVATION_WORDS, OPS
from agon_engine.elysium.words import Scope, Zone

CARDS_OF_FAMILY = 21
MOST_PEEKED = 3
MOST = 99
"""No number of a set is larger."""
MOST_VERSION = 1_000_000
MOST_STEPS = 40
"""Of one effect, those inside others included; the house set has no more than a quarter of that. What happens by itself
between two decisions is at most one effect of each of the 105 cards in play, each a few times as long where it happens
to three opponents: all Chronos cards at the end, or `on`s of one event. That is below `agenda.MAX_STEPS`."""

_PASSIVE = (v.Seq, v.On, v.Shield, v.CostMod, v.CitizenMod, v.AcquireMod)
_AUTOMATIC = (v.Seq, v.If, v.EachOpponent, v.Gain, v.Lose, v.Tribute)
_CHRONOS = (*_AUTOMATIC, v.Score, v.Pardon)
_NEVER_USED = (v.On, v.Shield, v.CitizenMod, v.Score, v.Pardon)
_NEVER_OTHERS = (v.Take, v.TakeCitizen, v.Peek, v.PeekTake, v.Reuse, v.Reserve, v.RowAccess, v.AcquireMod)
"""What takes, peeks, reuses or reserves, and what changes the take of a turn that is not the subject's."""
_REUSED = (Activation.INSTANT, Activation.ACTIVATE, Activation.TRIGGER, Activation.ELEUSIS)
_RECHARGED = (Activation.ACTIVATE, Activation.TRIGGER, Activation.ELEUSIS)


def mistakes_in(cards: CardSet, unreadable: Collection[str] = ()) -> list[str]:
    """Return all that is wrong with a set, each with the card's id or the part of the set.

    Cards and parts that are `unreadable`, by the same names, are not judged, nor is what is counted over all cards
    where one of them is.
    """
    mistakes = [mistake for card in cards.cards if card.id not in unreadable for mistake in mistakes_in_card(card)]
    if "the file" not in unreadable and not any(card.id in unreadable for card in cards.cards):
        mistakes += _families(cards)
    mistakes += _ids(cards)
    for part, judge in (("the file", _version), ("quests", _quests), ("pediment", _pediment), ("level_bonus", _bonus)):
        if part not in unreadable:
            mistakes += judge(cards)
    return mistakes


def _families(cards: CardSet) -> Iterator[str]:
    for family in Family:
        if family:
            copies = sum(card.copies for card in cards.cards if card.family is family)
            if copies != CARDS_OF_FAMILY:
                yield f"{family.name.lower()}: a family has {CARDS_OF_FAMILY} cards, not {copies!r}"


def _ids(cards: CardSet) -> Iterator[str]:
    for card_id, count in Counter(card.id for card in cards.cards).items():
        if count > 1:
            yield f"{card_id}: the id is given {count} times"


def _version(cards: CardSet) -> Iterator[str]:
    if not 1 <= cards.version <= MOST_VERSION:
        yield f"the file: version is 1 to {MOST_VERSION}, not {cards.version!r}"


def _quests(cards: CardSet) -> Iterator[str]:
    for name, quests, most in (("players_2", cards.quests_two, 2), ("players_3_4", cards.quests_more, 4)):
        if [quest.number for quest in quests] != list(range(1, most + 1)):
            yield f"quests: {name} are numbered 1 to {most}, not {[quest.number for quest in quests]!r}"
    for quest in (*cards.quests_two, *cards.quests_more, cards.incomplete):
        for name in ("gold", "vp", "transfers"):
            if not 0 <= (number := getattr(quest, name)) <= MOST:
                yield f"quests: {name} is 0 to {MOST}, not {number!r}: quest {quest.number or 'incomplete'}"


def _bonus(cards: CardSet) -> Iterator[str]:
    for level, vp in enumerate(cards.level_bonus, 1):
        if not 0 <= vp <= MOST:
            yield f"level_bonus: level {level} is 0 to {MOST}, not {vp!r}"


def _pediment(cards: CardSet) -> Iterator[str]:
    for side in cards.pediment:
        if sorted(side) != list(COLOURS):
            yield f"pediment: a side has each of the four colours once, not {[colour.name for colour in side]!r}"
    for pairs in cards.pediment_two:
        if [len(pair) for pair in pairs] != [2, 2] or sorted(pairs[0] + pairs[1]) != list(COLOURS):
            yield "pediment: two_players has two pairs a side, with each of the four colours once"


def mistakes_in_card(card: v.Card) -> Iterator[str]:
    """Yield all that is wrong with a card by itself."""
    if not _is_id(card.id):
        yield f"{card.id}: an id is small letters and digits in words joined by '-', two words or more"
    if card.level not in (1, 2, 3):
        yield f"{card.id}: level is 1, 2 or 3, not {card.level!r}"
    if not 1 <= card.copies <= CARDS_OF_FAMILY:
        yield f"{card.id}: copies is 1 to {CARDS_OF_FAMILY}, not {card.copies!r}"
    if not 1 <= len(card.columns) <= 2:
        yield f"{card.id}: columns are one or two symbols, not {len(card.columns)!r}"
    if len(card.columns) == 2 and card.columns[0] == card.columns[1] != Colour.ANY:
        yield f"{card.id}: columns ask for the same colour twice: {card.columns[0].name.lower()!r}"

    allowed: tuple[type[v.Step], ...] | None = None
    if card.activation is Activation.PERMANENT:
        allowed = _PASSIVE
    elif card.activation is Activation.CHRONOS:
        allowed = _CHRONOS
    steps = list(_walk(card.effect, ()))
    if len(steps) > MOST_STEPS:
        yield f"{card.id}: effect has at most {MOST_STEPS} steps, not {len(steps)!r}"
    for step, inside in steps:
        yield from _step(card, step, inside, allowed)


def _step(
    card: v.Card, step: v.Step, inside: tuple[v.Step, ...], allowed: tuple[type[v.Step], ...] | None
) -> Iterator[str]:
    op = OPS[type(step)]
    in_on = any(isinstance(outer, v.On) for outer in inside)
    if in_on and not isinstance(step, _AUTOMATIC):
        yield f"{card.id}: inside on there may be {_named(_AUTOMATIC)}, not {op!r}"
    elif allowed is not None and not in_on and not isinstance(step, allowed):
        yield f"{card.id}: a {card.activation.name.lower()} card may have {_named(allowed)}, not {op!r}"
    elif allowed is None and isinstance(step, _NEVER_USED):
        yield f"{card.id}: {op!r} is for permanent or chronos cards"
    of_others = any(isinstance(outer, (v.EachOpponent, v.PickOpponent)) for outer in inside)
    if of_others and isinstance(step, (*_NEVER_OTHERS, v.EachOpponent, v.PickOpponent)):
        yield f"{card.id}: inside each_opponent and pick_opponent there is never {op!r} (T4)"
    for name in ("n", "plus", "minus", "min_cards", "uses", "per_epoch"):
        number = getattr(step, name, None)
        if isinstance(number, int) and not 1 <= number <= MOST:
            yield f"{card.id}: {op}.{name} is 1 to {MOST}, not {number!r}"
    if isinstance(step, v.Choose) and not 1 <= step.n <= len(step.options) <= 9:
        yield f"{card.id}: choose has at most 9 options and n of 1 to their number, not {step.n!r}"
    if isinstance(step, v.Seq) and not step.steps:
        yield f"{card.id}: seq has at least one step"
    if isinstance(step, (v.Peek, v.PeekTake)) and step.n > MOST_PEEKED:
        yield f"{card.id}: {op}.n is at most {MOST_PEEKED}, not {step.n!r}"
    if isinstance(step, (v.Reuse, v.Recharge)):
        allowed_here = _REUSED if isinstance(step, v.Reuse) else _RECHARGED
        for activation in step.activation:
            if activation not in allowed_here:
                words = ", ".join(word for word, each in ACTIVATION_WORDS.items() if each in allowed_here)
                yield f"{card.id}: {op}.activation is of {words}, not {activation.name.title()!r}"
    yield from _scopes(card, step)
    yield from _zones(card, step)


def _scopes(card: v.Card, step: v.Step) -> Iterator[str]:
    permanent = card.activation is Activation.PERMANENT
    good = {
        v.RowAccess: (Scope.TURN,),
        v.LimitMod: (Scope.EPOCH,),
        v.AcquireMod: (Scope.PERMANENT,) if permanent else (Scope.TURN,),
        v.CostMod: (Scope.PERMANENT,) if permanent else (Scope.EPOCH,),
    }.get(type(step))
    scope = getattr(step, "scope", None)
    if good is not None and scope not in good:
        yield f"{card.id}: {OPS[type(step)]}.scope is {good[0]} on this card, not {str(scope)!r}"
    if isinstance(step, v.CostMod) and permanent and step.uses is not None:
        yield f"{card.id}: cost_mod.uses is 'all' on a permanent card, not {step.uses!r}"


def _zones(card: v.Card, step: v.Step) -> Iterator[str]:
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
        zone = getattr(step, name)
        if zone not in zones:
            told = "from" if name == "source" else name
            yield f"{card.id}: {OPS[type(step)]}.{told} is one of {', '.join(zones)}, not {str(zone)!r}"
    if isinstance(step, v.RowMove) and step.source is step.to:
        yield f"{card.id}: row_move goes from one place to another, not to the same: {str(step.to)!r}"
    if isinstance(step, v.Reuse):
        zones = (Zone.OWN_DOMAIN, Zone.OWN_ELYSIUM, Zone.OPPONENTS_DOMAIN, Zone.AGORA)
        for zone in step.zones:
            if zone not in zones:
                yield f"{card.id}: reuse.zone is of {', '.join(zones)}, not {str(zone)!r}"


def _is_id(text: str) -> bool:
    words = text.split("-")
    plain = all(word.isascii() and word.isalnum() and word == word.lower() for word in words)
    return plain and len(words) > 1 and words[0].isalpha()


def _walk(step: v.Step, inside: tuple[v.Step, ...]) -> Iterator[tuple[v.Step, tuple[v.Step, ...]]]:
    yield step, inside
    for child in children(step):
        yield from _walk(child, (*inside, step))


def children(step: v.Step) -> tuple[v.Step, ...]:
    """Return the steps inside a step, in their order."""
    if isinstance(step, v.Seq):
        return step.steps
    if isinstance(step, v.Choose):
        return step.options
    if isinstance(step, v.If):
        return (step.then,) if step.otherwise is None else (step.then, step.otherwise)
    if isinstance(step, (v.May, v.EachOpponent, v.PickOpponent, v.On)):
        return (step.do,)
    if isinstance(step, (v.Pay, v.Sacrifice)):
        return (step.then,)
    return ()


def _named(kinds: tuple[type[v.Step], ...]) -> str:
    return ", ".join(OPS[kind] for kind in kinds)
