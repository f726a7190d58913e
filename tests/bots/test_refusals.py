"""What a server's Refused means for a run, and that the contract says the same to other clients."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from agon.address import Address
from agon.codec.frames import Refused, RefusedCode
from agon_bots.sdk.refusals import fatal_error

ROOT = Path(__file__).parents[2]
LOBBY = Address("lobby", 1)


def documented() -> dict[str, set[RefusedCode]]:
    """Return which codes the contract's table names, by what it says to do."""
    text = (ROOT / "proto/agon/v1/play.proto").read_text(encoding="utf-8")
    rows = re.findall(r"^//   (end|come back)[^ ]*(?: [^ ]+)*?  +(.*)$", text, flags=re.MULTILINE)
    found: dict[str, set[RefusedCode]] = {"end": set(), "come back": set()}
    for what, names in rows:
        found[what] |= {RefusedCode[name] for name in re.findall(r"[A-Z][A-Z_]{2,}", names) if name in set(NAMES)}
    return found


NAMES = [code.name for code in RefusedCode]


def test_the_contract_says_of_every_code_whether_to_come_back() -> None:
    table = documented()

    assert table["end"] | table["come back"] == set(RefusedCode)
    assert not table["end"] & table["come back"]


@pytest.mark.parametrize("code", RefusedCode)
def test_the_sdk_does_what_the_contract_says(code: RefusedCode) -> None:
    error = fatal_error(LOBBY, Refused(code, "because"), is_lobby=True)

    assert (error is not None) == (code in documented()["end"])


@pytest.mark.parametrize("code", RefusedCode)
def test_a_referee_ends_the_run_only_where_it_speaks_of_the_bot_itself(code: RefusedCode) -> None:
    error = fatal_error(LOBBY, Refused(code, "because"), is_lobby=False)

    assert (error is not None) == (code in (RefusedCode.SUSPENDED, RefusedCode.RETIRED, RefusedCode.REPLACED))


def test_no_refusal_and_one_of_a_later_version_are_no_reason_to_end() -> None:
    assert fatal_error(LOBBY, None, is_lobby=True) is None
    assert fatal_error(LOBBY, Refused(99, "new"), is_lobby=True) is None
