"""Looks at cards of several lots (D1, D2): what a seat can infer of the cards that lie face down, no more and no less.

A sample is held against all worlds that fit what the seat was told, which are tried one by one: each sample is one of
them, and each of them is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import count
from typing import Any

import pytest
from tests.engine.elysium.custom import trying, with_effect
from tests.engine.elysium.positions import Table, seed
from tests.engine.elysium.possible import Hidden, Watch, faces

from agon_engine.elysium import GAME, game_with
from agon_engine.elysium.view import Mixed
from agon_engine.elysium.vocabulary import Filter, Gain, Peek, PeekTake, RowMove, Sacrifice, Seq, Step, TakeCitizen
from agon_engine.elysium.words import Kind, Put, Resource, Zone

POWER = "power zeus-semele"
LOOK = Peek(3, Put.TOP_OR_BOTTOM)
TURN_UP = RowMove(Zone.DECK, to=Zone.DISCARD)
ENOUGH = 6_000
"""So many samples draw each of at most 60 worlds, but for a chance of one in a billion or less."""
SEATS = (0, 1, None)


class Trial:
    """A position with few cards face down, watched by all seats."""

    def __init__(self, effect: Step, *, citizens: str = "", also: str = "", marked: str = "", **position: Any) -> None:
        """Lay it out with the effect as seat 0's power, and Citizens of seat 1 that have these faces; `also` names more
        of seat 0's Domain, `marked` cards that will have marks when they are sacrificed."""
        domains = {0: also, 1: f"athena-owl {' '.join('citizen' for _ in citizens.split())}"}
        self.table = trying(effect, **{"agora": "zeus-leda zeus-dodona", "domains": domains, **position})
        state, tables = self.table.state, self.table.game.tables
        for at, name in enumerate(citizens.split(), 1):
            index = next(index for index, card in enumerate(state.gone) if tables.ids[tables.design[card]] == name)
            face = -state.domains[1][at]
            state.domains[1][at], state.gone[index] = -state.gone[index], face
        self.watches = {seat: Watch(self.table, seat, marked) for seat in SEATS}

    def do(self, *codes: str) -> Trial:
        self.table.do(*codes)
        return self

    def check(self) -> None:
        """Draw from each seat's view until all possible worlds have come; none other may."""
        for seat, watch in self.watches.items():
            view = self.table.view(seat)
            possible = watch.worlds()
            drawn: set[Hidden] = set()
            assert faces(self.table, self.table.state) in possible
            for number in count():
                if drawn == possible:
                    break
                assert number < ENOUGH, f"seat {seat!r} never draws {possible - drawn}"
                state = self.table.game.sample(view, seed(number))
                drawn.add(faces(self.table, state))
                assert drawn <= possible, f"seat {seat!r} draws {drawn - possible}"
                assert number % 10 or state.view(seat) == view


def mixes(table: Table) -> tuple[Mixed, ...]:
    return table.view(None).table.mixes


OLD, NEW = "zeus-io hades-charon", "poseidon-cetus athena-olive"
"""What was in the pile, and what was shuffled beneath it."""


def test_a_citizen_of_the_older_lot_is_none_of_the_cards_shuffled_in_later() -> None:
    """D1, D2: whoever looked over both; and the third card looked at is one of these."""
    trial = Trial(Peek(3, Put.TOP), citizens="athena-mentor", deck=OLD, discard=NEW).do(POWER, "top 3 1 2")

    assert mixes(trial.table) == ((2, 0, ((0, 2), (1, 1))),)
    trial.check()


@pytest.mark.parametrize("code", ["top 1 2 3", "top 3 bottom 2 1", "bottom 1 2 3"])
def test_copies_in_both_lots_may_be_of_either(code: str) -> None:
    """D1, D2: zeus-io is of the older lot and of the later one."""
    Trial(LOOK, citizens="hades-charon", deck="zeus-io hades-charon", discard="zeus-io poseidon-cetus").do(
        POWER, code
    ).check()


@pytest.mark.parametrize("order", ["1 2 3", "2 1 3", "3 1 2"])
def test_what_turns_up_of_a_mixed_lot_stays_shown_while_it_may_be_of_either(order: str) -> None:
    """D1, D2: zeus-io may be of both lots, hades-charon and poseidon-cetus only of one."""
    trial = Trial(
        Seq(Peek(3, Put.TOP), TURN_UP),
        citizens="hades-charon",
        deck="zeus-io hades-charon",
        discard="zeus-io poseidon-cetus",
    ).do(POWER, f"top {order}")
    shown = [(mixed, GAME.tables.ids[design]) for mixed, design, _ in trial.table.view(None).table.shown]

    if order == "2 1 3":
        assert (shown, mixes(trial.table)) == ([], ((2, 0, ((0, 1), (1, 1))),)), "all know where hades-charon came from"
    elif trial.table.discard == ["zeus-io"]:
        assert (shown, mixes(trial.table)) == ([(2, "zeus-io")], ((2, 0, ((0, 2), (1, 1))),))
    trial.check()


def test_what_was_shown_may_be_shuffled_in_again() -> None:
    """D1, D2: three cards turn up, of which two are copies; then they are a lot of their own."""
    effect = Seq(Peek(3, Put.TOP), RowMove(Zone.DECK, to=Zone.DISCARD, n=3), TURN_UP, Peek(2, Put.TOP))
    trial = Trial(effect, citizens="hades-helm", deck="zeus-io hades-charon", discard="zeus-io poseidon-cetus")
    trial.do(POWER, "top 1 3 2", "top 2 1").check()


def test_a_citizen_drawn_from_a_mixed_lot_is_one_of_it() -> None:
    """D1, D2: the top card, which the seat itself knows."""
    trial = Trial(Seq(LOOK, TakeCitizen()), citizens="athena-mentor", deck=OLD, discard=NEW).do(
        POWER, "top 3 2 bottom 1"
    )

    assert trial.table.view(1).domains[0].lots == (0, 2)
    trial.check()


@pytest.mark.parametrize("keep", ["keep zeus-io", "keep poseidon-cetus", "skip"])
def test_a_card_taken_of_a_look_over_both_lots_is_shown(keep: str) -> None:
    """peek_take, D1, D2."""
    for number in range(4):
        trial = Trial(
            PeekTake(3),
            citizens="hades-charon",
            deck="zeus-io hades-charon",
            discard="zeus-io poseidon-cetus",
            chance=number,
        ).do(POWER)
        if keep in trial.table.codes:
            trial.do(keep)
            trial.do(trial.table.codes[-1])
            trial.check()
            return
    raise AssertionError(f"{keep!r} is never listed")


@pytest.mark.parametrize("code", ["top 1 2", "top 2 bottom 1", "bottom 1 2"])
def test_a_look_of_another_seat_over_a_mixed_lot_and_a_base_lot_mixes_again(code: str) -> None:
    """D1, D2: seat 0 has put one card on top, seat 1 looks at it and at one beneath."""
    trial = Trial(LOOK, deck="zeus-io hades-charon", discard="zeus-io poseidon-cetus athena-olive")
    trial.do(POWER, "top 2 bottom 1 3", "take zeus-leda", "dismiss yellow", "power athena-owl", code)

    assert mixes(trial.table) == ((2, 0, ((0, 2), (1, 1))), (3, 1, ((1, 1), (2, 1))))
    trial.check()


def test_a_seat_goes_on_knowing_what_it_has_put_together_where_another_looks_at_it() -> None:
    """D1, D2: where the cards lie is unknown to it again, not which they are."""
    trial = Trial(LOOK, citizens="hades-helm", deck=OLD, discard=NEW)
    trial.do(POWER, "top 3 1 bottom 2", "take zeus-leda", "dismiss yellow", "power athena-owl", "top 1 2")

    assert [known.place for known in trial.table.view(0).own.deck] == [0]
    assert len(trial.table.view(0).own.origins) == 3
    trial.check()


@pytest.mark.parametrize("code", ["top 2 1", "top 1 bottom 2"])
def test_the_same_seat_may_mix_again(code: str) -> None:
    """D1, D2: it follows its cards through both lots."""
    effect = Seq(LOOK, Peek(2, Put.TOP_OR_BOTTOM), TURN_UP)
    trial = Trial(effect, deck="zeus-io hades-charon", discard="zeus-io poseidon-cetus athena-olive")
    trial.do(POWER, "top 2 bottom 1 3", code).check()


def test_a_citizen_of_a_mixed_lot_leaves_the_game() -> None:
    """D1, D2, ruling 9."""
    effect = Seq(LOOK, TakeCitizen(), Sacrifice(Filter(kind=Kind.CITIZEN), then=Gain(Resource.VP, 1)), TURN_UP)
    trial = Trial(effect, deck="zeus-io hades-charon", discard="zeus-io poseidon-cetus")
    trial.do(POWER, "top 1 2 bottom 3", "sacrifice citizen").check()


ANVIL = "hephaestus-anvil"


@pytest.mark.parametrize("code", ["top 1 2 3", "top 2 1 3", "top 1 bottom 2 3", "bottom 1 2 3"])
@pytest.mark.parametrize("chance", [0, 1])
def test_marks_tell_which_of_two_copies_turns_up(code: str, chance: int) -> None:
    """T1, D1, D2: one Anvil was resolved in this turn and then shuffled in, another was in the pile. What the marks
    have told goes on to hold when they are gone."""
    trial = anvils(f"{ANVIL} zeus-io", "poseidon-cetus", chance).do(code)
    trial.check()
    trial.do("power hades-elpenor").check()
    trial.do("end").check()
    trial.do("take zeus-leda", "dismiss red", "power athena-owl", "top 1 bottom 2").check()


@pytest.mark.parametrize("chance", [0, 1, 2])
def test_of_three_copies_marks_leave_two(chance: int) -> None:
    """T1, D1, D2: in the pile, on the discard pile, and with marks; the first one turns up."""
    trial = anvils(ANVIL, f"{ANVIL} poseidon-cetus", chance).do("top 1 2 3")

    assert [shown.lots for shown in trial.table.view(1).table.shown] == [(0, 1)]
    trial.check()
    trial.do("power hades-elpenor").check()
    trial.do("end").check()


def anvils(deck: str, discard: str, chance: int, steps: Sequence[Step] = (LOOK, TURN_UP)) -> Trial:
    """Let seat 0 take an Anvil and shuffle it in with its marks, then look at cards, and so on."""
    effect = Seq(Sacrifice(Filter(), then=Gain(Resource.VP, 1)), *steps)
    house = with_effect(effect).cards
    copies = {ANVIL: 3, "hephaestus-net": 1}
    assert sum(card.copies - copies.get(card.id, card.copies) for card in house.cards) == 0
    cards = tuple(replace(card, copies=copies.get(card.id, card.copies)) for card in house.cards)
    return Trial(
        effect,
        game=game_with(replace(house, cards=cards)),
        agora=f"{ANVIL} zeus-leda",
        deck=deck,
        discard=discard,
        also="hades-elpenor hephaestus-cedalion",
        marked=ANVIL,
        chance=chance,
    ).do(f"take {ANVIL}", "dismiss red", POWER, f"sacrifice {ANVIL}")


STEPS: tuple[Step, ...] = (
    LOOK,
    Peek(2, Put.TOP_OR_BOTTOM),
    Peek(3, Put.TOP),
    PeekTake(2),
    PeekTake(3),
    TakeCitizen(),
    TURN_UP,
    RowMove(Zone.DECK, to=Zone.AGORA),
    Sacrifice(Filter(kind=Kind.CITIZEN), then=Gain(Resource.VP, 1)),
)
CARDS = "zeus-io zeus-io hades-charon hades-charon poseidon-cetus athena-olive"


def check_drawn_steps(first: int, last: int) -> None:
    """Draw powers of four steps of which the first looks over two lots, and how they are answered."""
    for number in range(first, last):
        dice = seed(number).fork("steps")
        cards = CARDS.split()
        dice.shuffle("cards", cards)
        steps = [dice.choice("look", STEPS[:5]), *(dice.choice("step", STEPS) for _ in range(3))]
        old = 1 + dice.below("old", 2)
        deck, discard = " ".join(cards[:old]), " ".join(cards[old:5])
        trial = Trial(Seq(*steps), citizens=cards[5], deck=deck, discard=discard, chance=number).do(POWER)
        while trial.table.prompt.endswith("semele"):
            trial.do(dice.choice("answer", trial.table.codes))
        trial.check()


def check_drawn_marks(first: int, last: int) -> None:
    """The same with copies of which one has marks."""
    for number in range(first, last):
        dice = seed(number).fork("marks")
        cards = f"{ANVIL} {ANVIL} zeus-io poseidon-cetus".split()
        dice.shuffle("cards", cards)
        steps = [TURN_UP, dice.choice("look", STEPS[:3]), dice.choice("step", (*STEPS[:3], STEPS[5], STEPS[8]))]
        dice.shuffle("steps", steps)
        old = 1 + dice.below("old", 2)
        steps = [dice.choice("look", STEPS[:3]), *steps]
        trial = anvils(" ".join(cards[:old]), " ".join(cards[old:]), number, steps)
        while trial.table.prompt.endswith("semele"):
            trial.do(dice.choice("answer", trial.table.codes))
        trial.check()
        trial.do("power hades-elpenor").check()
        trial.do("end").check()


def test_whatever_is_looked_at_and_turned_up_samples_are_the_possible_worlds() -> None:
    """D1, D2, E8."""
    check_drawn_steps(0, 25)
    check_drawn_marks(0, 8)


@pytest.mark.long
@pytest.mark.timeout(1_800)
def test_a_thousand_powers_leave_the_possible_worlds() -> None:
    """As above."""
    check_drawn_steps(25, 1_025)
    check_drawn_marks(8, 508)
