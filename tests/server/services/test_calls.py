"""The values of the unary calls mirror the messages of the contract, both ways, and nothing else escapes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from itertools import count
from types import NoneType
from typing import Any, get_args, get_origin, get_type_hints

import pytest
from hypothesis import given, strategies as st

from agon.codec import admin, ladder, ledger, tournament, tournament_standings
from agon.codec.calls import Method, Translator, method_of
from agon.codec.errors import CodecError
from agon.v1 import admin_pb2, ladder_pb2, tournament_pb2

METHODS: list[Method[Any, Any]] = [
    item for module in (ladder, admin, tournament) for item in vars(module).values() if isinstance(item, Method)
]
VALUES: list[type] = [
    item
    for module in (ladder, admin, tournament, ledger, tournament_standings)
    for item in vars(module).values()
    if is_dataclass(item) and isinstance(item, type) and item.__module__ == module.__name__
]


def filled(kind: Any, numbers: count[int]) -> Any:
    """Make a value of a type in which every field differs from its default."""
    if get_origin(kind) is tuple:
        return (filled(get_args(kind)[0], numbers), filled(get_args(kind)[0], numbers))
    if get_origin(kind) is not None and isinstance(get_origin(kind), type) and issubclass(get_origin(kind), Mapping):
        return {f"name{next(numbers)}": f"value{next(numbers)}"}
    if NoneType in get_args(kind):
        return filled(get_args(kind)[0], numbers)
    if is_dataclass(kind):
        assert isinstance(kind, type)
        hints = get_type_hints(kind)
        return kind(**{item.name: filled(hints[item.name], numbers) for item in fields(kind)})
    if isinstance(kind, type) and issubclass(kind, Enum):
        return list(kind)[-1]
    if kind is bool:
        return True
    if kind is str:
        return f"text{next(numbers)}"
    return kind(next(numbers))


def test_there_is_a_call_for_every_method_of_these_services() -> None:
    expected = {
        f"/{service.full_name}/{method.name}"
        for module, name in (
            (ladder_pb2, "LadderService"),
            (admin_pb2, "AdminService"),
            (tournament_pb2, "TournamentService"),
        )
        for service in [module.DESCRIPTOR.services_by_name[name]]
        for method in service.methods
    }

    assert {method.path for method in METHODS} == expected


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_every_request_and_response_comes_back_as_it_went(method: Method[Any, Any]) -> None:
    for translator in (method.request, method.response):
        value = filled(translator._value, count(1))

        assert translator.decode(translator.encode(value)) == value


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
@given(data=st.binary(max_size=60))
def test_bytes_that_are_no_request_are_a_codec_error_and_nothing_else(method: Method[Any, Any], data: bytes) -> None:
    try:
        value = method.request.decode(data)
    except CodecError:
        return

    assert method.request.decode(method.request.encode(value)) == value


def test_absent_values_come_back_as_none() -> None:
    plain = ladder.GetMatchResponse(ladder.Match(match="m", phase=ladder.MatchPhase.WAITING, game="g", version=1))

    assert ladder.GET_MATCH.response.decode(ladder.GET_MATCH.response.encode(plain)) == plain


def test_an_unspecified_enum_that_must_be_given_is_refused() -> None:
    with pytest.raises(CodecError, match="phase is one of WAITING, RUNNING, PLAYED, CANCELLED, DEAD, not 0"):
        ladder.GET_MATCH.response.decode(ladder_pb2.GetMatchResponse(match=ladder_pb2.Match()).SerializeToString())


def test_limits_of_the_engine_hold_for_what_comes_over_the_wire() -> None:
    match = ladder.Match(match="m", phase=ladder.MatchPhase.PLAYED, game="g", version=1)
    data = ladder.GET_MATCH.response.encode(ladder.GetMatchResponse(match))
    response = ladder_pb2.GetMatchResponse.FromString(data)
    response.time.move_us = 1

    with pytest.raises(CodecError, match="GetMatchResponse: connect is at least 1 microsecond"):
        ladder.GET_MATCH.response.decode(response.SerializeToString())


def test_a_number_that_may_be_left_out_is_told_from_0() -> None:
    for time in (admin.PartialTimeControl(), admin.PartialTimeControl(move_us=0, bank_us=5)):
        request = admin.CreateLadderRequest(game="g", seats=2, time=time)

        assert admin.CREATE_LADDER.request.decode(admin.CREATE_LADDER.request.encode(request)).time == time


@pytest.mark.parametrize("number", [-1, 1 << 32, "1"])
def test_what_the_contract_cannot_carry_is_refused(number: Any) -> None:
    with pytest.raises(CodecError, match="cannot carry this InspectQueueRequest"):
        admin.INSPECT_QUEUE.request.encode(admin.InspectQueueRequest(number))


def test_values_that_do_not_mirror_their_message_are_found_when_the_module_is_loaded() -> None:
    @dataclass
    class ListBotsRequest:
        more: int

    @dataclass
    class CloseLadderRequest:
        ladder: bytes

    with pytest.raises(TypeError, match=r"ListBotsRequest does not have the fields of agon\.v1\.ListBotsRequest"):
        Translator(ListBotsRequest, ladder_pb2.ListBotsRequest)
    with pytest.raises(TypeError, match="no field of the contract holds"):
        Translator(CloseLadderRequest, admin_pb2.CloseLadderRequest)
    with pytest.raises(TypeError, match=r"LadderService\.ListBots is ListBotsRequest to ListBotsResponse"):
        method_of(ladder_pb2, "LadderService", "ListBots", ladder.ListQueueRequest, ladder.ListBotsResponse)


def test_a_token_does_not_show_in_a_repr() -> None:
    assert "secret" not in repr(admin.RegisterBotResponse("bot", "secret"))


def test_every_value_is_used_by_a_call() -> None:
    seen: set[Any] = set()

    def walk(kind: Any) -> None:
        for argument in get_args(kind):
            walk(argument)
        if is_dataclass(kind) and kind not in seen:
            seen.add(kind)
            for hint in get_type_hints(kind).values():
                walk(hint)

    for method in METHODS:
        walk(method.request._value)
        walk(method.response._value)

    assert [kind.__name__ for kind in VALUES if kind not in seen] == []
