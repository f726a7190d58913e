"""The words of the vocabulary of the cards, as a card file writes them. No steps here: see `vocabulary.py`."""

from __future__ import annotations

from enum import StrEnum
from typing import Final


class Resource(StrEnum):
    """What a seat can gain and lose."""

    GOLD = "gold"
    VP = "vp"
    PP = "pp"


GOLD: Final = Resource.GOLD
VP: Final = Resource.VP
PP: Final = Resource.PP


class Zone(StrEnum):
    """Where a card can lie that a step speaks of."""

    AGORA = "agora"
    ORACLE = "oracle"
    DISCARD = "discard"
    DECK = "deck"
    DOMAIN = "domain"
    """The subject's own."""
    OWN_DOMAIN = "own_domain"
    OWN_ELYSIUM = "own_elysium"
    OPPONENTS_DOMAIN = "opp_domain"


class Who(StrEnum):
    """The player of a card's power, or the one to whom it happens: only inside `each_opponent` and `pick_opponent` are
    they not the same (T4)."""

    OWNER = "owner"
    SUBJECT = "subject"


class Kind(StrEnum):
    """What a filter lets through."""

    FAMILY = "family"
    CITIZEN = "citizen"
    ANY = "any"


class LegendType(StrEnum):
    """Which Legends are counted."""

    ANY = "any"
    FAMILY = "family"
    LEVEL = "level"


class Counter(StrEnum):
    """What can be counted for a quantity."""

    GOLD = "gold"
    PP = "pp"
    DOMAIN_CARDS = "domain_cards"
    DOMAIN_FAMILIES = "domain_families"
    OWNED_CARDS = "owned_cards"
    LEGEND_CARDS = "legend_cards"
    LEGEND_FAMILIES = "legend_families"
    LEGEND_SYMBOLS = "legend_symbols"
    LEGENDS = "legends"
    BONUS_TILES = "bonus_tiles"
    ROW_CARDS = "row_cards"
    TRANSFERRED_NOW = "transferred_now"
    MOVED_LEVEL = "moved_level"


class Comparison(StrEnum):
    """How two quantities are compared."""

    AT_LEAST = ">="
    MORE = ">"
    LESS = "<"
    AT_MOST = "<="
    EQUAL = "=="


class Happening(StrEnum):
    """What an `on` waits for."""

    TAKE_CARD = "take_card"
    TAKE_QUEST = "take_quest"
    INCOME = "income"
    TRANSFER = "transfer"
    OPPONENT_TAKE = "opponent_take"


class Loss(StrEnum):
    """What a shield keeps."""

    GOLD = "gold"
    VP = "vp"
    PP = "pp"
    CARD = "card"
    """A card of the Domain."""


class Put(StrEnum):
    """Where cards go that were looked at."""

    TOP = "top"
    TOP_OR_BOTTOM = "top_or_bottom"


class Price(StrEnum):
    """What a transfer costs."""

    NORMAL = "normal"
    FREE = "free"
    ONE_LESS = "minus1"


class Ignore(StrEnum):
    """How much of an acquisition condition may be left out."""

    ONE = "one"
    ALL = "all"


class Scope(StrEnum):
    """How long a modifier lasts."""

    TURN = "turn"
    EPOCH = "epoch"
    PERMANENT = "permanent"
