"""The contract's own values: notations, options, events, placements, and what every state does by itself."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st
from tests.support.matches import SEED
from tests.support.toy_game import GAME, NOTATION, Toy, ToyState

import agon_engine.core as core
from agon_engine.core import (
    ActionSyntaxError,
    Chance,
    Event,
    GameSpec,
    IllegalActionError,
    Maker,
    Notation,
    Option,
    OptionsError,
    OptionValue,
    RulesBug,
    option_text,
    run_agenda,
    standard_placements,
)

words = st.text(st.characters(categories=["L", "N"], max_codepoint=127), min_size=1, max_size=6)
codes = st.lists(words, min_size=1, max_size=20, unique=True)

OPTIONS = (
    Option("hand", 2, (1, 2, 3), "cards dealt"),
    Option("wards", True, (True, False), "whether there are wards"),
    Option("variant", "short", ("short", "long", "1", "true"), "how long it takes"),
)
SPEC = GameSpec("toy", 1, 2, 4, True, 26, OPTIONS)


# -- notation ------------------------------------------------------------------------------------------------


@given(codes)
def test_each_code_is_parsed_as_the_action_that_it_codes(listed: list[str]) -> None:
    notation = Notation("words", listed)

    assert [notation.parse(notation.code(action)) for action in range(len(notation))] == list(range(len(listed)))
    assert [notation.code(notation.parse(code)) for code in listed] == listed


@given(codes, st.text(max_size=8))
def test_other_text_is_no_action(listed: list[str], text: str) -> None:
    if text in listed:
        return
    with pytest.raises(ActionSyntaxError) as refused:
        Notation("words", listed).parse(text)

    assert str(refused.value) == f"not an action of words: {text!r}"


@given(codes, st.data())
def test_a_code_listed_twice_is_refused(listed: list[str], data: st.DataObject) -> None:
    with pytest.raises(ValueError, match="twice"):
        Notation("words", [*listed, data.draw(st.sampled_from(listed))])


@pytest.mark.parametrize("code", ['say "no"', "back\\slash", "métier", "two\nlines", "tab\t"])
def test_a_code_that_would_need_an_escape_is_refused(code: str) -> None:
    """A journal's line has it between quotes as it is."""
    with pytest.raises(ValueError, match="printable ASCII without quotes"):
        Notation("words", ["fine", code])


@pytest.mark.parametrize("value", [None, 3, [], {}, b"peek"])
def test_what_is_no_text_is_no_action_either(value: object) -> None:
    with pytest.raises(ActionSyntaxError):
        NOTATION.parse(value)


# -- seats and options ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("seats", [-1, 0, 1, 5, 1 << 80, 2.0, True, "2", None])
def test_seats_that_the_game_does_not_have_are_refused(seats: int) -> None:
    with pytest.raises(OptionsError) as refused:
        SPEC.check_seats(seats)

    assert str(refused.value) == f"toy has 2 to 4 seats, not {seats!r}"


def test_options_that_are_not_given_have_their_defaults() -> None:
    assert SPEC.check_options({}) == {"hand": 2, "wards": True, "variant": "short"}
    assert SPEC.check_options({"wards": False})["wards"] is False


@pytest.mark.parametrize(
    ("given_options", "message"),
    [
        ({"hand": 4}, "option hand is one of 1, 2, 3, not 4"),
        ({"hand": True}, "option hand is one of 1, 2, 3, not True"),
        ({"hand": 2.0}, r"option hand is one of 1, 2, 3, not 2\.0"),
        ({"hand": "2"}, "option hand is one of 1, 2, 3, not '2'"),
        ({"wards": 1}, "option wards is one of true, false, not 1"),
        ({"variant": None}, "option variant is one of short, long, 1, true, not None"),
        ({"variant": []}, r"option variant is one of short, long, 1, true, not \[\]"),
        ({"cheat": 1}, "toy has no option 'cheat'; its options are hand, wards, variant"),
    ],
)
def test_an_option_that_the_game_does_not_have_is_refused(given_options: dict[str, OptionValue], message: str) -> None:
    with pytest.raises(OptionsError, match=f"^{message}$"):
        SPEC.check_options(given_options)


@given(st.dictionaries(st.sampled_from(["hand", "wards", "variant", "x"]), st.integers() | st.text() | st.booleans()))
def test_options_are_complete_and_allowed_or_refused(given_options: dict[str, OptionValue]) -> None:
    try:
        options = SPEC.check_options(given_options)
    except OptionsError:
        return

    assert list(options) == [option.name for option in OPTIONS]
    for option in OPTIONS:
        assert (
            any(options[option.name] is allowed for allowed in option.allowed) or options[option.name] in option.allowed
        )
        assert type(options[option.name]) is type(option.default)


@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: option.name)
def test_an_option_that_is_typed_comes_back_as_its_value(option: Option) -> None:
    for value in option.allowed:
        parsed = SPEC.parse_option(f"{option.name}={option_text(value)}")

        assert parsed == (option.name, value)
        assert type(parsed[1]) is type(value)


@pytest.mark.parametrize("text", ["", "hand", "hand=", "hand=4", "hand=two", "wards=True", "x=1", "=1", "variant=a=b"])
def test_a_typed_option_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(OptionsError):
        SPEC.parse_option(text)


# -- events and placements -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("event", "told"),
    [
        (Event("turn", 0, Maker.CHANCE), ["turn", "turn", "turn"]),
        (Event("draw", 0, Maker.CHANCE, (0,), "draw 3"), ["draw 3", "draw", "draw"]),
        (Event("", 0, Maker.CHANCE, (0, 1), "look 3"), ["look 3", "look 3", ""]),
    ],
)
def test_an_event_is_told_in_full_to_its_audience_alone(event: Event, told: list[str]) -> None:
    assert [event.told_to(listener) for listener in (0, 1, None)] == told


@given(st.lists(st.integers(0, 5), min_size=1, max_size=8))
def test_placements_are_one_more_than_those_who_are_better(keys: list[int]) -> None:
    placements = standard_placements(keys)

    assert min(placements) == 1
    for one, place in zip(keys, placements, strict=True):
        assert place == 1 + sum(other > one for other in keys)
        assert placements.count(place) == keys.count(one)


# -- states --------------------------------------------------------------------------------------------------


def start(seats: int = 2) -> ToyState:
    return GAME.start(seats, Chance(SEED))


def test_a_refusal_names_the_action_and_lists_what_is_legal() -> None:
    state = start()
    assert state.decision is not None

    with pytest.raises(IllegalActionError, match=r"not one of the \d listed actions: 'ward'$") as refused:
        state.apply(NOTATION.parse("ward"))

    assert refused.value.legal == tuple(NOTATION.code(action) for action in state.decision.actions)


def test_after_the_end_every_action_is_refused() -> None:
    state = start()
    while state.decision is not None:
        state.apply(state.decision.actions[0])

    with pytest.raises(IllegalActionError, match=r"the match is over: 'peek'$"):
        state.apply(NOTATION.parse("peek"))


def test_events_can_be_asked_for_from_any_number() -> None:
    state = start()
    dealt = state.events_count
    assert state.decision is not None
    state.apply(state.decision.actions[0])

    assert len(state.events_since(0)) == state.events_count
    assert state.events_since(dealt) == state.events_since(0)[dealt:]
    assert not state.events_since(state.events_count)
    with pytest.raises(IndexError):
        state.events_since(-1)


def test_a_lookahead_clone_tells_only_what_it_tried() -> None:
    state = start()
    clone = state.clone(lookahead=Chance(bytes(16)))
    assert clone.decision is not None
    clone.apply(clone.decision.actions[0])

    assert clone.events_since(state.events_count)
    with pytest.raises(IndexError):
        clone.events_since(0)


def test_the_digest_of_a_state_is_the_same_on_every_machine() -> None:
    """H7."""
    assert start(3).digest() == "d90620e8e30e6e25f28356f4cb17bc602967f91efb9b05bc1fb07430bba5915a"


def test_states_that_differ_in_one_card_have_other_digests() -> None:
    one, other = start(), start()
    other.deck[1], other.deck[2] = other.deck[2], other.deck[1]

    assert one.deck != other.deck
    assert one.digest() != other.digest()


# -- the agenda ----------------------------------------------------------------------------------------------


class Steps:
    def __init__(self, agenda: list[core.Step]) -> None:
        self.agenda = agenda
        self.decision: core.Decision | None = None
        self.ran: list[int] = []


def test_steps_run_last_pushed_first_until_a_decision_opens() -> None:
    def note(state: Steps, number: int) -> None:
        state.ran.append(number)
        if number == 2:
            state.decision = core.Decision(0, "turn", (0,))

    state = Steps([(0, 1), (0, 2), (0, 3)])
    run_agenda(state, [note])

    assert state.ran == [3, 2]
    assert state.agenda == [(0, 1)]


def test_steps_without_an_end_are_a_bug_of_the_rules() -> None:
    def again(state: Steps) -> None:
        state.agenda.append((0,))

    with pytest.raises(RulesBug, match="without a decision"):
        run_agenda(Steps([(0,)]), [again])


# -- the package ---------------------------------------------------------------------------------------------


def test_the_package_exports_what_it_imports_and_nothing_else() -> None:
    public = {name for name, value in vars(core).items() if not name.startswith("_") and not _is_module(value)}

    assert set(core.__all__) == public
    assert core.__all__ == sorted(core.__all__, key=lambda name: (not name.isupper(), not name[0].isupper(), name))


def _is_module(value: object) -> bool:
    return type(value).__name__ in {"module", "_Feature"}


def test_the_toys_own_rules_are_played() -> None:
    """An attack that is not warded takes the last card of a row."""
    state = Toy().start(2, Chance(SEED))
    state.rows[1 - state.turn] = [1, 3]
    state._begin_turn(state.turn)
    attacker = state.turn

    state.apply(NOTATION.parse(f"attack {1 - attacker}"))
    state.apply(NOTATION.parse("pass"))

    assert state.rows[attacker] == [3]
    assert state.rows[1 - attacker] == [1]
