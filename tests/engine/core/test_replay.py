"""Replays: true records verify, and a record that states anything else is found out (H8, J5)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from tests.support.matches import SEED, new_table, play_out, played_record, record_of, record_with_faults
from tests.support.toy_game import GAME, Toy, ToyState

from agon_engine.core import (
    By,
    Chance,
    Fault,
    FaultKind,
    FaultPolicy,
    GameSpec,
    MatchRecord,
    OnFault,
    RecordError,
    ReplayMismatchError,
    RulesBug,
    Seat,
    Table,
    Termination,
    TimeControl,
    mismatches,
    replay,
    verify,
)

T = Termination
RECORD = record_with_faults()
CLEAN = played_record(2, 1, faults=False)


@pytest.mark.parametrize("on_fault", list(OnFault))
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_true_records_verify_whatever_went_wrong_in_the_match(seats: int, on_fault: OnFault) -> None:
    policy = FaultPolicy(on_fault, strikes=2)
    kinds: set[str] = set()
    for number in range(40):
        record = MatchRecord.from_line(played_record(seats, number, policy).to_line())
        verify(record, GAME)
        kinds |= {f"{fault.kind} {fault.termination}" for fault in record.faults}

    assert {"strike timeout", "strike illegal", "fall resigned", "fall disconnect", "fall protocol"} <= kinds


def test_a_replay_ends_where_the_match_did() -> None:
    table = replay(RECORD, GAME)

    assert table.moves == list(RECORD.moves)
    assert table.faults == list(RECORD.faults)
    assert table.result == RECORD.result
    assert table.state.digest() == RECORD.digest


def test_a_replay_can_be_watched_step_by_step() -> None:
    seen: list[tuple[int, int, int]] = []
    replay(RECORD, GAME, lambda table: seen.append((len(table.moves), len(table.faults), len(table.events))))

    own = sum(move.by is By.SEAT for move in RECORD.moves)
    assert seen[0][:2] == (0, 0)
    assert seen[-1][:2] == (len(RECORD.moves), len(RECORD.faults))
    assert seen == sorted(seen)
    assert own < len(seen) <= 1 + own + len(RECORD.faults)


@pytest.mark.parametrize("why", [T.NO_SHOW, T.INFRASTRUCTURE, T.CANCELLED])
def test_an_abandoned_match_verifies(why: Termination) -> None:
    table = new_table(3)
    assert table.decision is not None
    table.choose(table.decision.seat, table.decision.actions[0])
    table.fall(2, T.RESIGNED)
    table.abandon(why, [why, T.CANCELLED, T.RESIGNED])

    verify(record_of(table), GAME)


# -- other games and versions --------------------------------------------------------------------------------


class NewerToy(Toy):
    spec = GameSpec("toy", 2, 2, 4, True, 26, Toy.spec.options)


class OtherToy(Toy):
    spec = GameSpec("other", 1, 2, 4, True, 26, Toy.spec.options)


def test_a_record_of_another_rules_version_is_refused_with_both_versions() -> None:
    with pytest.raises(RecordError, match=r"toy rules version 1, this installation has 2$"):
        verify(CLEAN, NewerToy())


def test_a_record_of_another_game_is_refused() -> None:
    with pytest.raises(RecordError, match=r"'toy'$"):
        replay(CLEAN, OtherToy())


@pytest.mark.parametrize("options", [{}, {"hand": 2}, {"hand": 9, "wards": True}, {"hand": 2, "wards": 1}, {"x": 1}])
def test_a_record_without_all_the_options_of_its_game_is_refused(options: dict[str, Any]) -> None:
    with pytest.raises(RecordError, match="option"):
        verify(replace(CLEAN, options=options), GAME)


# -- records that are not true -------------------------------------------------------------------------------


def found(record: MatchRecord) -> str:
    with pytest.raises(ReplayMismatchError) as raised:
        verify(record, GAME)
    return str(raised.value)


def with_move(record: MatchRecord, number: int, **changes: Any) -> MatchRecord:
    moves = list(record.moves)
    moves[number] = moves[number]._replace(**changes)
    return replace(record, moves=tuple(moves))


def with_fault(record: MatchRecord, number: int, **changes: Any) -> MatchRecord:
    faults = list(record.faults)
    faults[number] = faults[number]._replace(**changes)
    return replace(record, faults=tuple(faults))


def number_of(record: MatchRecord, by: By) -> int:
    return next(number for number, move in enumerate(record.moves) if move.by is by)


def strike_of(record: MatchRecord) -> int:
    return next(number for number, fault in enumerate(record.faults) if fault.kind is FaultKind.STRIKE)


def test_another_seed_is_found_by_the_commitment_and_the_digest() -> None:
    message = found(replace(CLEAN, seed="ff" * 16))

    assert "commitment" in message


def test_another_commitment_is_found() -> None:
    assert f"not {'0' * 64!r}" in found(replace(CLEAN, commitment="0" * 64))


def test_an_illegal_action_is_found_with_its_place() -> None:
    assert "after 3 moves: not one of the" in found(with_move(CLEAN, 3, action="ward"))


def test_an_action_of_no_game_is_found() -> None:
    assert "not an action of toy: 'castle'" in found(with_move(CLEAN, 0, action="castle"))


def test_a_move_of_the_wrong_seat_is_found() -> None:
    seat = CLEAN.moves[0].seat

    assert f"not {1 - seat}" in found(with_move(CLEAN, 0, seat=1 - seat))


def test_another_legal_action_is_found_later() -> None:
    number = next(number for number, move in enumerate(CLEAN.moves) if move.action != "gamble" and "ward" not in move)
    record = CLEAN if CLEAN.moves[number].action == "pass" else with_move(CLEAN, number, action="gamble")

    assert record != CLEAN
    assert found(record)


@pytest.mark.parametrize("column", ["charge_us", "late"])
def test_a_charge_that_is_not_by_the_formula_is_found(column: str) -> None:
    changes = {"charge_us": CLEAN.moves[2].charge_us + 1} if column == "charge_us" else {"late": True}

    assert "move 2 is" in found(with_move(CLEAN, 2, **changes))


def test_a_charge_that_hides_what_the_bank_had_left_is_found() -> None:
    """The rows are self-consistent one by one, but the bank runs through all of them."""
    time = TimeControl(move=1_000_000, bank=1_000_000)
    table = new_table(2, time=time)
    play_out(table, Chance(SEED))
    record = record_of(table)
    assert any(move.late for move in record.moves)

    assert found(replace(record, time=replace(time, bank=2_000_000)))


def test_another_substitute_is_found() -> None:
    record = RECORD
    number = number_of(record, By.SUBSTITUTE)
    other = "peek" if record.moves[number].action != "peek" else "gamble"

    assert f"move {number} is" in found(with_move(record, number, action=other))


def test_a_substitute_without_a_fault_is_found() -> None:
    assert "a substitute stands in without a fault" in found(with_move(CLEAN, 1, by=By.SUBSTITUTE))


def test_a_choice_where_a_substitute_stands_is_found() -> None:
    number = number_of(RECORD, By.SUBSTITUTE)

    assert found(with_move(RECORD, number, by=By.SEAT, attempts=1))


def test_a_missing_fault_is_found() -> None:
    assert found(replace(RECORD, faults=RECORD.faults[1:]))


def test_a_made_up_fault_is_found() -> None:
    assert found(replace(CLEAN, faults=(Fault(0, CLEAN.moves[0].seat, FaultKind.STRIKE, T.TIMEOUT),)))


def test_a_fault_against_another_seat_is_found() -> None:
    number = strike_of(RECORD)
    seat = (RECORD.faults[number].seat + 1) % 3

    assert found(with_fault(RECORD, number, seat=seat))


def test_a_fall_for_what_is_no_fault_is_found() -> None:
    record = replace(CLEAN, faults=(Fault(0, 0, FaultKind.FALL, T.SCORE),))

    assert "a seat cannot fall by" in found(record)


def test_a_strike_for_what_is_none_is_found() -> None:
    record = replace(CLEAN, faults=(Fault(0, CLEAN.moves[0].seat, FaultKind.STRIKE, T.RESIGNED),))

    assert "a strike is for timeout or illegal" in found(record)


def test_a_choice_after_the_last_attempt_is_found() -> None:
    assert "are spent: 3" in found(with_move(CLEAN, 0, attempts=4))


def test_more_attempts_than_the_policy_gives_are_found_at_once() -> None:
    """A hostile count must not be counted up to."""
    assert "more attempts than 3" in found(with_move(CLEAN, 0, attempts=1 << 50))


def test_a_second_fall_of_a_seat_is_found() -> None:
    fall = Fault(0, 0, FaultKind.FALL, T.RESIGNED)
    record = replace(RECORD, moves=(), faults=(fall, fall))

    assert found(record)


def test_moves_after_the_end_are_found() -> None:
    assert f"move {len(CLEAN.moves)} is missing" in found(replace(CLEAN, moves=(*CLEAN.moves, CLEAN.moves[0])))


def test_a_match_that_is_not_over_is_found() -> None:
    assert "the match is not over" in found(replace(CLEAN, moves=CLEAN.moves[:-1]))


@pytest.mark.parametrize("name", ["termination", "placements", "scores", "seats"])
def test_another_result_is_found(name: str) -> None:
    other: dict[str, Any] = {
        "termination": T.CAP,
        "placements": tuple(3 - place for place in CLEAN.result.placements),
        "scores": tuple(score + 1 for score in CLEAN.result.scores),
        "seats": (T.RESIGNED, T.SCORE),
    }
    record = replace(CLEAN, result=replace(CLEAN.result, **{name: other[name]}))

    assert mismatches(record, GAME) == [
        f"result.{name} is {getattr(CLEAN.result, name)!r}, not {getattr(record.result, name)!r}"
    ]


def test_another_policy_is_found() -> None:
    struck = next(
        record
        for record in (played_record(3, number) for number in range(50))
        if any(fault.kind is FaultKind.FALL and fault.at < len(record.moves) for fault in record.faults)
    )

    assert found(replace(struck, policy=FaultPolicy(OnFault.FORFEIT)))


def test_another_digest_is_found() -> None:
    assert mismatches(replace(CLEAN, digest="0" * 64), GAME) == [
        f"the digest of the final state is {CLEAN.digest!r}, not {'0' * 64!r}"
    ]


def test_a_rated_end_cannot_be_passed_off_as_an_abandoned_one() -> None:
    record = replace(CLEAN, result=replace(CLEAN.result, termination=T.CANCELLED))

    assert "result.termination" in found(record)


# -- broken rules --------------------------------------------------------------------------------------------


class BrokenState(ToyState):
    __slots__ = ()

    def _draw(self, seat: Seat) -> None:
        super()._draw(seat)
        if len(self.deck) == 5:
            raise ZeroDivisionError


def broken_record() -> MatchRecord:
    table = new_table(game=Toy(BrokenState))
    with pytest.raises(RulesBug):
        play_out(table, Chance(SEED))
    return record_of(table)


def test_a_match_that_broke_the_rules_breaks_them_again_in_its_replay() -> None:
    record = broken_record()
    verify(MatchRecord.from_line(record.to_line()), Toy(BrokenState))

    assert record.digest == ""
    assert not record.counts


def test_rules_that_no_longer_break_are_told_from_those_that_do() -> None:
    assert mismatches(broken_record(), GAME)


def test_rules_that_break_only_now_are_told() -> None:
    sound = Table(GAME, new_table().deal, FaultPolicy.default(2), TimeControl())
    play_out(sound, Chance(SEED))

    assert any("broke down" in line for line in mismatches(record_of(sound), Toy(BrokenState)))
