"""Local play: the same judgement as the referee's, reproducible, and never held up for ever by a bot."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from itertools import permutations
from typing import Any

import pytest
from tests.support import card_files
from tests.support.bots import Recorder

from agon_bots import Bot, LocalMatch, LocalRules, OnError, Turn, UsageError, play_match
from agon_bots.house.random import RandomBot
from agon_bots.sdk.local import Arena
from agon_bots.sdk.schedule import match_count, plan_matches
from agon_engine.core import Deals, FaultPolicy, MatchRecord, OnFault, Termination, TimeControl
from agon_engine.core.replay import verify
from agon_engine.core.rotations import Rotations, rotation
from agon_engine.registry import get_game

SUBSTITUTE = FaultPolicy(OnFault.SUBSTITUTE, strikes=2)


def untimed(match: LocalMatch) -> MatchRecord:
    """Return a match's record without what differs from run to run."""
    assert match.record is not None
    moves = [move._replace(charge_us=0, elapsed_us=0, thought_us=0, late=False) for move in match.record.moves]
    return replace(match.record, moves=tuple(moves), started="2030-01-31T12:00:00Z", ended="2030-01-31T12:00:00Z")


class Stubborn(RandomBot):
    """Misbehaves at its fifth decision; what it does is the class's `act`."""

    def choose(self, turn: Turn) -> Any:
        return self.act(turn) if turn.decision == 5 else super().choose(turn)

    def act(self, turn: Turn) -> Any:
        raise NotImplementedError


def stubborn(act: Any) -> type[Stubborn]:
    return type("Stubborn", (Stubborn,), {"act": act})


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_the_same_seed_gives_the_same_match_and_its_record_replays(seats: int) -> None:
    """H7, H8: deals and the bots' own draws follow from one seed."""
    bots = [RandomBot] * seats

    first, second, other = (play_match("ephyran", *bots, seed=seed) for seed in ("a", "a", "b"))

    assert untimed(first) == untimed(second)
    assert untimed(first) != untimed(other)
    assert first.record is not None
    verify(first.record, get_game("ephyran"))


def test_a_bot_is_told_the_same_as_on_a_server() -> None:
    bot = Recorder.fresh(name="me")

    match = play_match("ephyran", bot, RandomBot, seed="told", options={"tie_break": "zones"})

    facts = bot.started[0]
    assert (facts.seat, facts.seats, facts.aliases) == (0, 2, ("me", "seat 1"))
    assert facts.options["tie_break"] == "zones"
    assert facts.policy == FaultPolicy.default(2)
    assert [turn.decision for turn in bot.turns] == list(range(1, len(bot.turns) + 1))
    assert all(turn.view.seat == 0 for turn in bot.turns)
    assert bot.turns[3].clock.allowed_us == 32_000_000
    assert bot.results[0].placements == match.result.placements
    assert bot.results[0].seed == match.plan.seed
    told = [event for turn in bot.turns for event in turn.events]
    assert told[0].code.startswith("first")


def test_a_full_state_can_be_drawn_from_a_turn_and_played_on() -> None:
    """H4: what search bots need."""
    bot = Recorder.fresh()
    play_match("ephyran", bot, RandomBot, seed="sample")
    turn = bot.turns[20]

    state = turn.sample()

    assert state.view(0) == turn.view
    assert state.decision is not None
    assert [state.notation.code(action) for action in state.decision.actions] == list(turn.actions)
    state.apply(state.notation.parse(turn.actions[0]))
    assert turn.sample().digest() != turn.sample().digest()


@pytest.mark.parametrize("value", ["fly", 999, None])
def test_an_unlisted_answer_gives_the_match_up_and_is_named(value: Any) -> None:
    """J3: the same as on a server, where the SDK resigns."""
    match = play_match("ephyran", stubborn(lambda _, __: value), RandomBot, seed="x")

    assert match.result.seats == (Termination.RESIGNED, Termination.SCORE)
    assert match.result.placements == (2, 1)
    assert repr(value) in match.faults[0][1].line
    assert match.faults[0][0] == 0
    assert match.record is not None


def test_an_exception_gives_the_match_up_or_plays_at_random_as_the_rules_of_the_run_say() -> None:
    def fail(_: Any, __: Any) -> Any:
        raise LookupError("no such god")

    resigning = play_match("ephyran", stubborn(fail), RandomBot, RandomBot, seed="x")
    going_on = play_match("ephyran", stubborn(fail), RandomBot, RandomBot, seed="x", on_error=OnError.RANDOM)

    assert resigning.result.seats[0] is Termination.RESIGNED
    assert resigning.result.placements[0] == 3
    assert going_on.result.seats[0] is Termination.SCORE
    fault = going_on.faults[0][1]
    assert fault.line.startswith("choose raised LookupError: no such god (test_local.py, line ")
    assert "sdk" not in fault.traceback


def test_a_bot_that_does_not_return_is_interrupted_at_the_ceiling_and_strikes() -> None:
    """T2, T20: a loop without end in Python code, which even catches all exceptions."""

    class Endless(RandomBot):
        def choose(self, turn: Turn) -> int:
            while turn.decision >= 5:
                try:
                    time.sleep(60)
                except Exception:
                    continue
            return super().choose(turn)

    began = time.monotonic()
    match = play_match("ephyran", Endless, RandomBot, RandomBot, seed="x", ceiling=0.05, policy=SUBSTITUTE)

    assert match.result.seats == (Termination.TIMEOUT, Termination.SCORE, Termination.SCORE)
    assert [fault.line for _, fault in match.faults] == ["choose took more than the ceiling of 0.05 s"] * 2
    assert match.record is not None
    assert [fault.termination for fault in match.record.faults] == [Termination.TIMEOUT] * 3
    assert time.monotonic() - began < 10


def test_an_async_bot_is_awaited_and_cancelled_at_the_ceiling() -> None:
    cancelled: list[int] = []

    class Waiting(Bot):
        async def choose(self, turn: Turn) -> int:
            if turn.decision >= 5:
                try:
                    await asyncio.sleep(60)
                except asyncio.CancelledError:
                    cancelled.append(turn.decision)
                    raise
            await asyncio.sleep(0)
            return 0

    match = play_match("ephyran", Waiting, RandomBot, seed="x", ceiling=0.05, policy=SUBSTITUTE)

    assert match.result.seats[0] is Termination.TIMEOUT
    assert cancelled == [5, 6]


def test_time_over_the_limit_is_shown_and_costs_nothing_below_the_ceiling() -> None:
    """T6, T10: local play measures, so that an author sees what a server would say."""

    class Slow(Recorder):
        def choose(self, turn: Turn) -> Any:
            time.sleep(0.0001)
            return super().choose(turn)

    bot = Slow.fresh()
    tight = TimeControl(move=0, bank=1)

    match = play_match("ephyran", bot, RandomBot, seed="x", time=tight)

    assert match.result.termination is Termination.SCORE
    assert bot.turns[5].clock.bank_us == 0
    assert bot.turns[5].clock.last_late
    assert bot.turns[5].clock.strikes == 0


@pytest.mark.parametrize("error", [OSError("no book"), SystemExit(3), BaseException("odd")])
def test_a_bot_that_cannot_be_made_gives_the_match_up(error: BaseException) -> None:
    class Unmade(Bot):
        def __init__(self) -> None:
            raise type(error)(*error.args)

        def choose(self, turn: Turn) -> int:
            raise NotImplementedError

    match = play_match("ephyran", Unmade, RandomBot)

    assert match.result.seats == (Termination.RESIGNED, Termination.SCORE)
    assert match.faults[0][1].line.startswith(f"__init__ raised {type(error).__name__}: ")


def test_a_bot_that_is_never_made_is_interrupted_at_the_ceiling() -> None:
    class Endless(Bot):
        def __init__(self) -> None:
            while True:
                pass

        def choose(self, turn: Turn) -> int:
            raise NotImplementedError

    match = play_match("ephyran", Endless, RandomBot, ceiling=0.1)

    assert match.result.seats == (Termination.RESIGNED, Termination.SCORE)
    assert match.faults[0][1].line == "__init__ took more than the ceiling of 0.1 s"


@pytest.mark.parametrize("note", [None, 7, b"text"])
def test_a_note_that_is_no_text_is_the_bots_own_fault_as_on_a_server(note: Any) -> None:
    def write(self: Bot, _: Turn) -> Any:
        self.note(note)
        return 0

    match = play_match("ephyran", RandomBot, stubborn(write), seed="x")

    fault = match.faults[0][1]
    assert fault.line.startswith("choose raised TypeError: a note is a text, not of type ")
    assert match.notes == ((1, fault.line),)


def test_notes_and_resignations_are_kept() -> None:
    def give_up(self: Bot, _: Turn) -> Any:
        self.note("enough")
        return self.resign()

    match = play_match("ephyran", RandomBot, stubborn(give_up), seed="x")

    assert match.notes == ((1, "enough"),)
    assert match.result.seats == (Termination.SCORE, Termination.RESIGNED)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: play_match("chess", RandomBot, RandomBot), "unknown game 'chess'"),
        (lambda: play_match("ephyran", RandomBot), "ephyran has 2 to 4 seats, not 1"),
        (lambda: play_match("ephyran", *[RandomBot] * 5), "ephyran has 2 to 4 seats, not 5"),
        (lambda: play_match("ephyran", RandomBot, RandomBot, options={"wind": 1}), "ephyran has no option 'wind'"),
        (lambda: LocalRules("ephyran", 2, ceiling=0.0), "the ceiling is a number of seconds up to a day, not 0.0"),
        (lambda: Arena(LocalRules("ephyran", 3), [Recorder.fresh(games={"ephyran": [2]})]), "with 3 seats, but (2,)"),
        (lambda: next(plan_matches(0, 2, 1, "s", Deals.FRESH)), "no bot is named"),
        (lambda: next(plan_matches(2, 2, 0, "s", Deals.FRESH)), "matches is a number from 1, not 0"),
        (lambda: next(plan_matches(4, 4, 1, "s", Deals.FRESH, Rotations.ALL)), "all is for 2 to 3 seats, not 4"),
    ],
)
def test_what_cannot_be_played_is_refused_in_one_line(call: Any, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        call()

    assert message in str(caught.value)


@pytest.mark.parametrize(("bots", "seats"), [(2, 2), (2, 3), (2, 4), (3, 2), (5, 3), (4, 4), (1, 2)])
def test_each_block_is_one_line_up_under_all_rotations_with_its_own_seeds(bots: int, seats: int) -> None:
    """M6, H5: every bot sits in every seat equally often, and no deal is used twice unless it is shared."""
    matches = 12 * seats
    plans = list(plan_matches(bots, seats, matches, "seed", Deals.FRESH))
    shared = list(plan_matches(bots, seats, matches, "seed", Deals.SHARED))

    assert [plan.number for plan in plans] == list(range(1, matches + 1))
    assert len({plan.seed for plan in plans}) == matches
    assert len({plan.seed for plan in shared}) == 12
    for block in range(1, 13):
        rows = [plan.bots for plan in plans if plan.block == block]
        assert len(rows) == seats
        assert all(sorted(column) == sorted(rows[0]) for column in zip(*rows, strict=True))
    seated = [sum(plan.bots.count(bot) for plan in plans) for bot in range(bots)]
    assert max(seated) - min(seated) <= seats * seats


@pytest.mark.parametrize("bots", [2, 3, 5])
def test_a_block_of_three_seats_may_have_all_permutations(bots: int) -> None:
    """Issue 6, demand 1: the order of the tournament's and the ladder's blocks."""
    plans = list(plan_matches(bots, 3, 7, "seed", Deals.SHARED, Rotations.ALL))

    assert [plan.block for plan in plans] == [1] * 6 + [2] * 6
    assert len({plan.seed for plan in plans}) == 2
    for block in (1, 2):
        rows = [plan.bots for plan in plans if plan.block == block]
        assert sorted(rows) == sorted(permutations(rows[0]))
        assert rows == [rotation(rows[0], place) for place in range(6)]
    pair = [list(plan_matches(2, 2, 4, "seed", Deals.FRESH, rotations)) for rotations in Rotations]
    assert pair[0] == pair[1]


def test_matches_are_rounded_up_to_whole_blocks() -> None:
    """R15: an incomplete block says nothing about the bots."""
    assert [match_count(matches, 3, Rotations.ALL) for matches in (1, 6, 7)] == [6, 6, 12]
    assert [match_count(matches, 3) for matches in (1, 3, 4, 100)] == [3, 3, 6, 102]
    assert len(list(plan_matches(3, 3, 4, "s", Deals.FRESH))) == 6


def test_a_match_with_a_file_is_that_of_the_game_with_it() -> None:
    """The bots' facts, codes and samples are the file's; the option's value is its hash."""
    bots = [Recorder.fresh(games=(card_files.GAME,)) for _ in range(2)]
    files = {card_files.OPTION: card_files.other_text()}
    match = play_match(card_files.GAME, *bots, seed="1", files=files, options={"families": "first"})
    engine = bots[0].started[0].engine

    assert match.record is not None
    assert match.faults == ()
    assert match.record.options[card_files.OPTION] == card_files.hash_of(card_files.other_text())
    assert card_files.OTHER_ID in engine.reference()
    for turn in bots[0].turns[::16]:
        state = turn.sample()
        assert state.decision is not None
        assert tuple(map(engine.notation.code, state.decision.actions)) == turn.actions
    verify(match.record, engine)


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ({"files": {"cards": "nonsense"}}, "the file for option cards has a mistake"),
        ({"files": {"families": "nonsense"}}, "option families of elysium takes no file"),
        ({"options": {"cards": "0" * 32}}, "option cards names a file that is not here, by its hash"),
        ({"files": {"cards": card_files.other_text()}, "options": {"cards": "house"}}, "this game plays with the file"),
    ],
)
def test_files_that_cannot_be_played_with_are_refused(rules: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        LocalRules(card_files.GAME, 2, **rules)
