"""Chance: portable values, exact bounds, streams and forks that do not move each other (H6, H7)."""

from __future__ import annotations

from hashlib import blake2b

import pytest
from hypothesis import given, strategies as st

from agon_engine.core import Chance

SEED = bytes(range(16))

seeds = st.binary(min_size=16, max_size=16)
streams = st.text(max_size=8)
bounds = st.integers(min_value=1, max_value=1 << 64)


def test_the_first_words_of_a_seed_are_the_same_on_every_machine() -> None:
    chance = Chance(SEED)

    assert [chance.word("deck") for _ in range(3)] == [
        2565838691000362468,
        1720254776604943063,
        377612725620647352,
    ]
    assert chance.word("dice") == 1190698383348372247
    assert chance.fork("substitute/7").word("substitute") == 1607449737809274349


def test_a_shuffle_is_the_same_on_every_machine() -> None:
    cards = list(range(12))

    Chance(SEED).shuffle("deck", cards)

    assert cards == [3, 0, 11, 9, 5, 8, 6, 10, 7, 2, 1, 4]


def test_a_word_is_blake2b_of_the_stream_and_its_counter() -> None:
    chance = Chance(SEED)
    chance.word("deck")

    digest = blake2b(b"deck\x001", digest_size=8, key=SEED).digest()

    assert chance.word("deck") == int.from_bytes(digest, "little")


@given(seeds, streams, bounds)
def test_a_number_is_below_its_bound(seed: bytes, stream: str, bound: int) -> None:
    chance = Chance(seed)

    assert all(0 <= chance.below(stream, bound) < bound for _ in range(5))


@pytest.mark.parametrize("bound", [0, -1, (1 << 64) + 1])
def test_a_bound_that_no_word_can_fill_evenly_is_refused(bound: int) -> None:
    with pytest.raises(ValueError, match=f"not {bound}$"):
        Chance(SEED).below("dice", bound)


def test_the_tail_of_the_words_is_rejected_so_that_all_numbers_are_equally_likely() -> None:
    """With a bound just over half of the words, about every second one must be drawn again."""
    bound = (1 << 63) + 1
    chance = Chance(SEED)
    for _ in range(200):
        chance.below("dice", bound)

    reference, rejected, kept = Chance(SEED), 0, 0
    while kept < 200:
        if reference.word("dice") < bound:
            kept += 1
        else:
            rejected += 1

    assert rejected > 60
    assert chance.key() == reference.key()


def test_dice_are_even() -> None:
    """Chi-square over 6,000 throws; 20.5 is its 0.999 quantile at 5 degrees of freedom."""
    chance = Chance(SEED)
    counts = [0] * 6
    for _ in range(6000):
        counts[chance.below("dice", 6)] += 1

    assert sum((count - 1000) ** 2 / 1000 for count in counts) < 20.5


def test_every_order_of_three_cards_is_equally_likely() -> None:
    chance = Chance(SEED)
    counts: dict[tuple[int, ...], int] = {}
    for _ in range(6000):
        cards = [1, 2, 3]
        chance.shuffle("deck", cards)
        counts[tuple(cards)] = counts.get(tuple(cards), 0) + 1

    assert len(counts) == 6
    assert sum((count - 1000) ** 2 / 1000 for count in counts.values()) < 20.5


@given(seeds, st.lists(st.sampled_from(["deck", "dice", "board"]), max_size=30))
def test_draws_of_other_streams_do_not_move_a_stream(seed: bytes, draws: list[str]) -> None:
    mixed, alone = Chance(seed), Chance(seed)
    seen = [mixed.word(stream) for stream in draws]

    assert [word for word, stream in zip(seen, draws, strict=True) if stream == "deck"] == [
        alone.word("deck") for stream in draws if stream == "deck"
    ]


@given(seeds, streams, streams)
def test_two_draws_differ_whatever_their_streams(seed: bytes, one: str, other: str) -> None:
    chance = Chance(seed)

    assert chance.word(one) != chance.word(other)


@given(seeds, st.text(max_size=8), st.integers(0, 5))
def test_a_fork_depends_on_seed_and_label_alone_and_moves_nothing(seed: bytes, label: str, drawn: int) -> None:
    chance = Chance(seed)
    for _ in range(drawn):
        chance.word("deck")
    before = chance.key()

    fork = chance.fork(label)

    assert fork.word("deck") == Chance(seed).fork(label).word("deck")
    assert chance.key() == before
    assert fork.key()[0] != seed


@given(seeds, st.integers(0, 5))
def test_a_clone_draws_the_same_and_then_goes_its_own_way(seed: bytes, drawn: int) -> None:
    chance = Chance(seed)
    for _ in range(drawn):
        chance.word("deck")
    clone = chance.clone()

    assert [clone.word("deck") for _ in range(3)] == [chance.word("deck") for _ in range(3)]

    clone.word("deck")

    assert chance.key() != clone.key()


@pytest.mark.parametrize("length", [0, 15, 17, 64])
def test_a_seed_has_sixteen_bytes(length: int) -> None:
    with pytest.raises(ValueError, match=f"not {length}$"):
        Chance(bytes(length))


def test_there_is_no_choice_among_nothing() -> None:
    with pytest.raises(ValueError, match=r"not 0$"):
        Chance(SEED).choice("deck", [])


def test_the_text_of_a_chance_does_not_show_its_seed() -> None:
    """H1."""
    chance = Chance(SEED)
    chance.word("deck")

    assert repr(chance) == "<Chance, 1 drawn>"
