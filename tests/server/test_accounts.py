"""Bots, their tokens and their private logs."""

from __future__ import annotations

import pytest

from agon_server.accounts import AccountError, Accounts
from agon_server.store import keys
from agon_server.store.connection import Store


async def test_a_registered_bot_is_known_by_its_token_alone(store: Store) -> None:
    accounts = Accounts(store)
    token = await accounts.register("zeus", "olympus")
    bot = await accounts.authenticate(token)

    assert token.startswith("agon_")
    assert bot is not None
    assert (bot.name, bot.owner, bot.suspended, bot.trusted, bot.house) == ("zeus", "olympus", "", False, False)
    assert bot.created > 1_700_000_000_000
    for wrong in ("", "agon_", token[:-1], token + "x", token.upper(), "\x00", "x" * 10_000, "\ud800", "é"):
        assert await accounts.authenticate(wrong) is None


async def test_a_token_is_stored_nowhere(store: Store) -> None:
    token = await Accounts(store).register("zeus")
    secret = token.removeprefix("agon_").encode()

    for key in await store.command("KEYS", "*"):
        assert secret not in key
        assert secret not in await store.command("DUMP", key)


async def test_a_bots_owner_is_by_default_one_of_its_own(store: Store) -> None:
    await Accounts(store).register("zeus")
    bot = await Accounts(store).get("zeus")

    assert bot is not None
    assert bot.owner == "zeus"


async def test_a_name_is_given_once(store: Store) -> None:
    accounts = Accounts(store)
    token = await accounts.register("zeus", "one")

    with pytest.raises(AccountError, match="of that name already 'zeus'"):
        await accounts.register("zeus", "two")
    bot = await accounts.authenticate(token)
    assert bot is not None
    assert bot.owner == "one"


@pytest.mark.parametrize("name", ["", "Zeus", "-zeus", ".", "zeus/1", "zeus 1", "z" * 41, "zeüs", "zeus\n"])
async def test_a_name_that_cannot_be_one_is_refused(store: Store, name: str) -> None:
    with pytest.raises(AccountError, match="a bot's name is 1 to 40"):
        await Accounts(store).register(name)
    with pytest.raises(AccountError, match="an owner is 1 to 40"):
        await Accounts(store).register("zeus", name)
    assert await Accounts(store).list() == []


async def test_a_renewed_token_replaces_the_old_one_at_once(store: Store) -> None:
    accounts = Accounts(store)
    old = await accounts.register("zeus")
    new = await accounts.renew("zeus")

    assert await accounts.authenticate(old) is None
    assert await accounts.authenticate(new) is not None
    assert await store.command("HLEN", keys.TOKENS) == 1


async def test_bots_are_listed_in_the_order_of_their_registration(store: Store) -> None:
    accounts = Accounts(store)
    await accounts.register("a", house=True, trusted=True)
    await accounts.register("b")
    first, second = await accounts.list()

    assert [(bot.name, bot.house, bot.trusted) for bot in (first, second)] == [("a", True, True), ("b", False, False)]


async def test_a_suspended_bot_is_known_with_its_reason_until_it_is_resumed(store: Store) -> None:
    accounts = Accounts(store)
    token = await accounts.register("zeus")
    await accounts.suspend("zeus", "lightning indoors")
    suspended = await accounts.authenticate(token)
    await accounts.resume("zeus")
    resumed = await accounts.authenticate(token)

    assert suspended is not None
    assert suspended.suspended == "lightning indoors"
    assert suspended.suspended_at >= suspended.created
    assert resumed is not None
    assert (resumed.suspended, resumed.suspended_at) == ("", 0)
    with pytest.raises(AccountError, match="needs a reason"):
        await accounts.suspend("zeus", " ")


async def test_trust_is_declared_and_withdrawn(store: Store) -> None:
    accounts = Accounts(store)
    await accounts.register("zeus")
    seen = []
    for trusted in (True, False):
        await accounts.set_trusted("zeus", trusted=trusted)
        bot = await accounts.get("zeus")
        assert bot is not None
        seen.append(bot.trusted)

    assert seen == [True, False]


async def test_an_unknown_bot_is_named(store: Store) -> None:
    accounts = Accounts(store)
    assert await accounts.get("hera") is None
    for call in (
        accounts.renew("hera"),
        accounts.suspend("hera", "x"),
        accounts.resume("hera"),
        accounts.set_trusted("hera", trusted=True),
    ):
        with pytest.raises(AccountError, match="there is no bot 'hera'"):
            await call
    assert await store.command("KEYS", "agon:bot*") == []


# -- private logs --------------------------------------------------------------------------------------------------


async def test_a_log_keeps_its_lines_in_order(store: Store) -> None:
    accounts = Accounts(store)
    await accounts.append_notes("zeus", ["one", "two\nthree", ""])
    await accounts.append_notes("zeus", [])
    notes = await accounts.read_notes("zeus")

    assert (notes.lines, notes.truncated) == (("one", "two", "three", ""), 0)
    assert (await accounts.read_notes("zeus", 2)).lines == ("three", "")
    assert (await accounts.read_notes("hera")).lines == ()
    with pytest.raises(AccountError, match="at least one line"):
        await accounts.read_notes("zeus", 0)


async def test_a_full_log_says_how_much_was_cut(store: Store) -> None:
    """L5: what is kept and what was cut are together all that was written."""
    accounts = Accounts(store, log_bytes=1_000)
    for number in range(50):
        await accounts.append_notes("zeus", [f"{number:03} " + "x" * 45])
    notes = await accounts.read_notes("zeus")

    assert notes.truncated == 50 * 50 - 20 * 50
    assert notes.lines[0] == "truncated 1500 bytes"
    assert len(notes.lines[1:]) == 20
    assert notes.lines[1].startswith("030 ")
    assert notes.lines[-1].startswith("049 ")


async def test_a_mark_stands_only_where_the_cut_is(store: Store) -> None:
    accounts = Accounts(store, log_bytes=30)
    await accounts.append_notes("zeus", [f"line {number}" for number in range(9)])

    assert (await accounts.read_notes("zeus", 2)).lines == ("line 7", "line 8")


async def test_a_long_line_is_cut_with_a_mark(store: Store) -> None:
    accounts = Accounts(store)
    await accounts.append_notes("zeus", ["é" * 10_000])
    (line,) = (await accounts.read_notes("zeus")).lines

    assert line == "é" * 4096 + " (truncated 11808 bytes)"


async def test_text_that_is_no_unicode_harms_nothing(store: Store) -> None:
    accounts = Accounts(store)
    await accounts.append_notes("zeus", ["\ud800"])

    assert (await accounts.read_notes("zeus")).lines == ("?",)
