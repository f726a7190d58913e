"""Whether a whole state may lie behind a view, as far as lots go (D1, D2): the view's account of each lot is added up
with the state's cards, place by place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from agon_engine.elysium import ElysiumState, View
from agon_engine.elysium.view import Domain, Group


def check_lots(state: ElysiumState, view: View) -> None:
    """Check that as many cards of each design went into each lot as lie there, were shown of it, or went on."""
    table = view.table
    design = state.tables.design
    out: Counter[tuple[int, int]] = Counter((lot, number) for lot, number, _ in table.shown)
    places = {place: (lot, design[card]) for place, lot, card in _places(state, view)}
    out.update(places.values())
    into: Counter[tuple[int, int]] = Counter((lot.number, number) for lot in table.lots for number in lot.cards)
    assert [(mix.number, mix.seat) for mix in state.mixes] == [(mix.number, mix.seat) for mix in table.mixes]
    for mix, (number, _, shares) in zip(state.mixes, table.mixes, strict=True):
        assert Counter(parent for parent, _ in mix.origins) == Counter(dict(shares))
        assert all(parent < number for parent, _ in mix.origins)
        into.update((number, card) for _, card in mix.origins)
        out.update(mix.origins)

    into.update(_dealt(state, view))
    assert +into == +out, f"{into - out} went into lots and is nowhere, {out - into} came from nowhere"
    own = {mix.number: mix.origins for mix in state.mixes if mix.seat == view.seat}
    seen = Counter((lot, (parent, card)) for lot, parent, card in view.own.origins)
    assert seen == Counter((lot, origin) for lot, origins in own.items() for origin in origins)
    for place, card, _ in view.own.deck:
        assert places[-2, 0, place][1] == card
    for owner, legend, at, card, _ in view.own.faces:
        assert places[owner, legend, at][1] == card


def _places(state: ElysiumState, view: View) -> Iterator[tuple[tuple[int, int, int], int, int]]:
    """Yield owner, Legend and index of each card that lies face down, its lot by the view, and the state's card."""
    table = view.table
    lot, layers = table.deck_lot, dict(table.layers)
    assert len(state.deck) == table.deck
    for place, card in enumerate(state.deck):
        lot = layers.get(place, lot)
        yield (-2, 0, place), lot, card
    yield from _citizens((-1, 0), state.gone, table.gone, table.gone_lots)
    for seat, (domain, elysium) in enumerate(zip(view.domains, view.elysiums, strict=True)):
        groups: list[tuple[Domain | Group, Sequence[int]]] = [(domain, state.domains[seat])]
        groups += zip(elysium.legends, (legend.cards for legend in state.elysiums[seat]), strict=True)
        for number, (group, cards) in enumerate(groups):
            yield from _citizens((seat, number), cards, group.cards, group.lots)


def _citizens(
    where: tuple[int, int], cards: Sequence[int], designs: Sequence[int], lots: Sequence[int]
) -> Iterator[tuple[tuple[int, int, int], int, int]]:
    for at, (card, design) in enumerate(zip(cards, designs, strict=True)):
        assert (card < 0) == (not design)
        if not design:
            yield (*where, at), lots[at] if lots else 0, -card


def _dealt(state: ElysiumState, view: View) -> Counter[tuple[int, int]]:
    """Return the cards of lot 0 by the view: all that are in play, but for those that lie open or that other lots list;
    and those that were shown."""
    tables = state.tables
    groups = [view.table.gone, *(row.cards for row in (view.agora, view.oracle, view.discard))]
    groups += [domain.cards for domain in view.domains]
    groups += [legend.cards for elysium in view.elysiums for legend in elysium.legends]
    dealt = Counter(tables.design[card] for family in view.deal.families for card in tables.by_family[family])
    dealt.subtract(design for cards in groups for design in cards if design)
    dealt.subtract(design for lot in view.table.lots for design in lot.cards)
    dealt.update(shown.design for shown in view.table.shown)
    assert min(dealt.values()) >= 0
    return Counter({(0, design): count for design, count in dealt.items()})
