"""The cards as people read them: one card in full, and all of a set as a page of Markdown. Made from the literals."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from agon_engine.elysium.card_set import CardSet, Quest
from agon_engine.elysium.checking import SIDES
from agon_engine.elysium.enums import Colour
from agon_engine.elysium.vocabulary import Card
from agon_engine.elysium.writing import activation_word, step_object

_COLOURS = {
    Colour.RED: "red",
    Colour.YELLOW: "yellow",
    Colour.GREEN: "green",
    Colour.BLUE: "blue",
    Colour.ANY: "any",
}


def card_text(card: Card) -> str:
    """Return a card in full: its line, its text, and its effect as the rules read it."""
    lines = [
        f"{card.name} ({card.id}): {card.family.name.capitalize()}, level {card.level}, {_columns(card)}, "
        f"{activation_word(card.activation)}, {card.copies} in the game",
        card.text,
        *_tree(step_object(card.effect), 0),
    ]
    return "\n".join(lines)


def set_reference(cards: CardSet) -> dict[str, str]:
    """Return the texts of a set: its cards by their ids, in the order of the numbers that views give them, then quests,
    pediment and level bonus by their places in the file."""
    texts = {card.id: card_text(card) for card in cards.cards}
    for name, players, quests in (
        ("players_2", "two players", cards.quests_two),
        ("players_3_4", "three and four players", cards.quests_more),
    ):
        for quest in quests:
            key = f"quests.{name}.{quest.number}"
            texts[key] = f"Quest {quest.number} ({key}): of {players}\n{_pays(quest)}"
    key = "quests.incomplete"
    texts[key] = f"Incomplete quest ({key}): the other side of every tile\n{_pays(cards.incomplete)}"
    for name, colours, pairs in zip(SIDES, cards.pediment, cards.pediment_two, strict=True):
        key = f"pediment.{name}"
        texts[key] = (
            f"{name.replace('_', ' ')} ({key}): of the pediment; quest k lies under the k-th colour\n"
            f"{_side(colours)}; with two players {_side_two(pairs)}"
        )
    texts["level_bonus"] = f"Level bonus (level_bonus): one tile a level\n{_bonus(cards)}"
    return texts


def _pays(quest: Quest) -> str:
    return f"{quest.gold} gold, {quest.vp} VP, {quest.transfers} transfer{'' if quest.transfers == 1 else 's'}"


def _side(colours: tuple[Colour, ...]) -> str:
    return ", ".join(_COLOURS[colour] for colour in colours)


def _side_two(pairs: tuple[tuple[Colour, ...], ...]) -> str:
    return ", ".join("/".join(_COLOURS[colour] for colour in pair) for pair in pairs)


def _bonus(cards: CardSet) -> str:
    return ", ".join(f"level {level} {vp} VP" for level, vp in enumerate(cards.level_bonus, 1))


def set_page(cards: CardSet) -> str:
    """Return all cards and the values of the table as a page of Markdown, with a line feed at the end."""
    return "\n".join(_page(cards)) + "\n"


def _page(cards: CardSet) -> Iterator[str]:
    yield "# Elysium: the cards"
    yield ""
    yield "Made from the literals by `reference.py`; a test keeps it current. Status: "
    yield (
        "**house set**, own design inside the published frame: not the printed cards."
        if cards.status == "house"
        else f"{cards.status}."
    )
    for family, group in groupby(cards.cards, key=lambda card: card.family):
        yield ""
        yield f"## {family.name.capitalize()}"
        yield ""
        yield "| level | copies | card | id | columns | when | power |"
        yield "|---|---|---|---|---|---|---|"
        for card in group:
            yield (
                f"| {card.level} | {card.copies} | {card.name} | `{card.id}` | {_columns(card)} "
                f"| {activation_word(card.activation)} | {card.text} |"
            )
    yield ""
    yield "## Quests"
    yield ""
    yield "| players | quest | gold | VP | transfers | status |"
    yield "|---|---|---|---|---|---|"
    yield from (_quest("2", quest) for quest in cards.quests_two)
    yield from (_quest("3–4", quest) for quest in cards.quests_more)
    yield _quest("all", cards.incomplete)
    yield ""
    yield "## Pediment"
    yield ""
    for side, colours, pairs in zip("AB", cards.pediment, cards.pediment_two, strict=True):
        yield f"- side {side}: {_side(colours)} (two players: {_side_two(pairs)})"
    yield ""
    yield "Quest k lies under the k-th colour."
    yield ""
    yield f"Level bonus tiles: {_bonus(cards)}."


def _quest(players: str, quest: Quest) -> str:
    name = quest.number or "incomplete"
    return f"| {players} | {name} | {quest.gold} | {quest.vp} | {quest.transfers} | {quest.status} |"


def _columns(card: Card) -> str:
    return " + ".join(_COLOURS[colour] for colour in card.columns)


def _tree(value: object, depth: int) -> Iterator[str]:
    """Draw an effect as a tree, one step a line; in it, options are numbered as `choose` names them."""
    if not isinstance(value, dict):
        return

    plain = [f"{key}={_plain(item)}" for key, item in value.items() if key != "op" and not _holds_step(item)]
    yield "  " * (depth + 1) + " ".join([str(value["op"]), *plain])
    for key, item in value.items():
        if isinstance(item, dict) and "op" in item:
            yield from _tree(item, depth + 1)
        elif isinstance(item, list) and _holds_step(item):
            for number, child in enumerate(item, 1):
                if key == "options":
                    yield "  " * (depth + 2) + f"option {number}:"
                yield from _tree(child, depth + (2 if key == "options" else 1))


def _holds_step(item: object) -> bool:
    if isinstance(item, list):
        return any(_holds_step(child) for child in item)
    return isinstance(item, dict) and "op" in item


def _plain(item: object) -> str:
    if isinstance(item, list):
        return ",".join(_plain(child) for child in item)
    if isinstance(item, dict):
        inside = " ".join(f"{key}={_plain(child)}" for key, child in item.items())
        return f"({inside})" if inside else "any family card"
    return str(item)
