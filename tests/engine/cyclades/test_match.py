"""Whole matches: turns end (C7.14), bounds hold, substitutes are harmless."""

from collections import Counter
from itertools import product

import pytest
from tests.engine.cyclades.positions import Dice, Table, lay_out, random_match, seed

from agon_engine.core import MAX_ACTIONS
from agon_engine.cyclades import GAME, CycladesState
from agon_engine.cyclades.enums import NOBODY, Todo
from agon_engine.cyclades.game import decisions_bound, turn_bound
from agon_engine.cyclades.notation import MOVES, Kind

SEATS = (2, 3, 4, 5)


def test_the_bound_is_that_of_five_seats_and_a_hundred_cycles() -> None:
    """README.md, `The bound`."""
    assert [turn_bound(seats) for seats in SEATS] == [470, 502, 534, 566]
    assert 100 * (1600 + 5 + 5 * 566) == decisions_bound(5, 100) == GAME.spec.max_decisions


class TurnCount:
    """What happens in one god turn, counted from the choices alone."""

    def __init__(self) -> None:
        self.decisions = 0
        self.choices: Counter[tuple[Kind, int]] = Counter()
        self.paid: Counter[Kind] = Counter()

    def choose(self, state: CycladesState, action: int) -> None:
        move = MOVES[action]
        self.decisions += 1
        self.choices[move.kind, move.what] += 1
        if state.agenda[-1].todo is Todo.TURN:
            self.paid[move.kind] += 1
        if state.agenda[-1].todo is Todo.KRAKEN_MOVE:
            self.paid[Kind.KRAKEN] += 1

    def check(self, seats: int) -> None:
        assert self.decisions <= turn_bound(seats)
        assert max(self.paid[kind] for kind in (Kind.SAIL, Kind.MARCH, Kind.CHANGE)) <= 16
        assert all(times == 1 for (kind, _), times in self.choices.items() if kind is Kind.BUY)
        # The Kraken may be played a second time by the Chimera.
        assert self.paid[Kind.KRAKEN] <= 2 * 11


def never_end(state: CycladesState, choices: Dice, count: TurnCount) -> None:
    """Play a turn by somebody who never stops as long as there is anything else to do."""
    seat = state.turn_seat
    while state.decision is not None and state.turn_seat == seat != NOBODY:
        actions = state.decision.actions
        quits = (Kind.END, Kind.STOP, Kind.FIGHT)
        chosen = tuple(action for action in actions if MOVES[action].kind not in quits) or actions
        action = chosen[choices.below(len(chosen))]
        count.choose(state, action)
        state.apply(action)


@pytest.mark.parametrize("god", ["zeus", "athena", "ares", "poseidon"])
@pytest.mark.parametrize("seats", SEATS)
def test_a_turn_ends_however_much_gold_and_time_a_player_spends(god: str, seats: int) -> None:
    """C7.14: paid moves, changes, Sphinx, Sylph, Kraken, Fates with Chimera; in every position of some matches."""
    longest = 0
    for number in range(2):
        for state in random_match(seats, number, busy=True):
            if state.decision is None or state.decision.prompt != f"turn {god}":
                continue
            rich = state.clone()
            rich.purses, rich.ledger = [5_000] * seats, [5_000] * seats
            count = TurnCount()
            never_end(rich, Dice(number + state.cycle), count)

            count.check(seats)
            longest = max(longest, count.decisions)
            if state.cycle > 12:
                break

    assert longest > 20


def test_fates_and_chimera_give_gold_a_bounded_number_of_times() -> None:
    """C7.14: in one turn the Fates are played twice at most."""
    table = lay_out(3, "zeus", isles={"IS1": "0 x1", "IS7": "1"}, spaces="chimera fates siren", deck="", gold={0: 400})
    while table.codes != ["end"] and table.state.changes < 16:
        wanted = [code for code in ("buy fates", "buy chimera") if code in table.codes]
        table.do(wanted[0] if wanted else f"change {table.listed('change')[0]}")

    assert table.told.count("0: gain 2") == 2
    assert table.told.count("0: buy fates") == 1


@pytest.mark.parametrize("seats", SEATS)
def test_random_matches_end_within_all_bounds(seats: int) -> None:
    lengths = []
    for number in range(6):
        state = GAME.start(seats, seed(number), {"max_cycles": 8})
        choices, count, turn = Dice(number), 0, TurnCount()
        while state.decision is not None:
            actions = state.decision.actions
            action = actions[choices.below(len(actions))]
            if state.decision.prompt.startswith("turn"):
                turn.choose(state, action)
                if MOVES[action].kind is Kind.END:
                    turn.check(seats)
                    turn = TurnCount()
            state.apply(action)
            count += 1
        lengths.append(count)

        assert state.cycle <= 8
    assert 40 < max(lengths) <= decisions_bound(seats, 8)


OPTIONS = [option for option in GAME.spec.options if option.name != "max_cycles"]


@pytest.mark.parametrize("seats", SEATS)
def test_a_match_can_be_played_with_every_combination_of_options(seats: int) -> None:
    """C3.2, C4.2, C8.1, C10.2, C10.4, C10.5."""
    for number, values in enumerate(product(*[option.allowed for option in OPTIONS])):
        options = {option.name: value for option, value in zip(OPTIONS, values, strict=True)}
        *_, last = random_match(seats, number, busy=True, max_cycles=5, **options)
        deal, outcome = last.view(None).deal, last.outcome()

        assert outcome is not None
        assert {1} <= set(outcome.placements)
        kept = (deal.creature_start, deal.metropolis_over_buildings, deal.tie_break)
        named = ("creature_start", "metropolis_over_buildings", "tie_break")
        assert [member.name.lower() for member in kept] == [options[name] for name in named]
        assert (deal.two_player_gods, deal.attacker_port_bonus) == (
            options["two_player_gods"],
            options["attacker_port_bonus"],
        )


def test_every_substitute_is_legal_harmless_and_the_same_for_a_seed() -> None:
    """T12."""
    kinds: Counter[Kind] = Counter()
    for state in random_match(4, 1, busy=True):
        if state.decision is not None:
            chosen = GAME.substitute(state.decision, seed(3))
            kinds[MOVES[chosen].kind] += 1

            assert chosen in state.decision.actions
            assert chosen == GAME.substitute(state.decision, seed(3))
            if state.decision.prompt == "god":
                assert GAME.notation.code(chosen) == "god apollo"
            if state.decision.prompt.startswith("bid"):
                assert MOVES[chosen].number == min(MOVES[action].number for action in state.decision.actions)
            if state.decision.prompt.startswith("turn"):
                assert GAME.notation.code(chosen) == "end"
    assert {Kind.GOD, Kind.BID, Kind.END, Kind.STOP} <= set(kinds)


def test_a_clone_plays_on_by_itself() -> None:
    state = next(random_match(3, 4))
    digest = state.digest()
    clone = state.clone()
    Table(clone).do("god apollo")

    assert digest == state.digest()
    assert digest != clone.digest()


@pytest.mark.long
@pytest.mark.timeout(600)
@pytest.mark.parametrize("seats", SEATS)
def test_2_000_random_matches_end_within_all_bounds(seats: int) -> None:
    """Lists are short, pieces are kept, matches end: the long profile."""
    for number in range(2_000):
        state = GAME.start(seats, seed(number), {"max_cycles": 5 + number % 20})
        first = dict(state.inventory())
        choices = Dice(number)
        while state.decision is not None:
            actions = state.decision.actions
            assert len(actions) <= MAX_ACTIONS
            state.apply(actions[choices.below(len(actions))])
        assert first == dict(state.inventory())
        assert state.purses == state.ledger
