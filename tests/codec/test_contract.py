"""The Python side says what the .proto files say: names, numbers and fields, and nobody else reads the messages."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from enum import Enum, IntEnum
from pathlib import Path
from typing import get_args

import pytest
from google.protobuf.descriptor import EnumDescriptor

from agon.codec import frames
from agon.codec.enums import DEALS_NUMBERS, ON_FAULT_NUMBERS, TERMINATION_NUMBERS
from agon.codec.registry import codec_names, get_codec
from agon.codec.rpc import PLAY, SERVICES
from agon.v1 import match_pb2, play_pb2 as pb
from agon_engine.core import Deals, Maker, OnFault, Termination
from agon_engine.registry import game_names

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ["engine/agon_engine", "proto/agon", "bots/agon_bots", "ladder/agon_ladder", "server/agon_server"]
MIRRORS: list[tuple[type[IntEnum], EnumDescriptor]] = [
    (frames.RefusedCode, pb.RefusedCode.DESCRIPTOR),
    (frames.RejectedCode, pb.RejectedCode.DESCRIPTOR),
    (frames.NoticeKind, pb.NoticeKind.DESCRIPTOR),
    (Maker, match_pb2.Maker.DESCRIPTOR),
    *[
        (get_codec(game).vocabulary.enums[name], descriptor)
        for game in codec_names()
        for name, descriptor in get_codec(game).message.file.enum_types_by_name.items()
    ],
]


def screaming(name: str) -> str:
    return "".join(f"_{letter}" if letter.isupper() else letter.upper() for letter in name).lstrip("_")


def numbers(descriptor: EnumDescriptor) -> dict[str, int]:
    """Return an enum's numbers by the names that Python uses: without the prefix, and without 'unspecified'."""
    prefix = screaming(descriptor.name) + "_"
    named = {value.name.removeprefix(prefix): value.number for value in descriptor.values}
    assert named.pop("UNSPECIFIED") == 0
    return named


@pytest.mark.parametrize(("enum", "descriptor"), MIRRORS, ids=lambda value: getattr(value, "full_name", ""))
def test_an_enum_has_the_numbers_of_the_contract(enum: type[IntEnum], descriptor: EnumDescriptor) -> None:
    assert numbers(descriptor) == {member.name: member.value for member in enum if member.name != "NONE"}
    assert enum.__members__.get("NONE", 0) == 0


def test_every_enum_of_a_contract_file_is_compared_above_or_below() -> None:
    compared = {descriptor.full_name for _, descriptor in MIRRORS}
    words = {"agon.v1.Termination", "agon.v1.OnFault", "agon.v1.Deals"}

    files = (pb.DESCRIPTOR, match_pb2.DESCRIPTOR, *(get_codec(game).message.file for game in codec_names()))
    assert {enum.full_name for file in files for enum in file.enum_types_by_name.values()} == compared | words


@pytest.mark.parametrize(
    ("enum", "table", "descriptor"),
    [
        (Termination, TERMINATION_NUMBERS, match_pb2.Termination.DESCRIPTOR),
        (OnFault, ON_FAULT_NUMBERS, match_pb2.OnFault.DESCRIPTOR),
        (Deals, DEALS_NUMBERS, match_pb2.Deals.DESCRIPTOR),
    ],
)
def test_an_enum_of_words_has_every_number_of_the_contract(
    enum: type[Enum], table: dict[Enum, int], descriptor: EnumDescriptor
) -> None:
    """C2: the terminations have the design's names, on the wire too."""
    assert numbers(descriptor) == {member.name: table[member] for member in enum}


@pytest.mark.parametrize("union", [frames.UpBody, frames.DownBody], ids=["up", "down"])
def test_a_frame_has_the_fields_of_its_message(union: object) -> None:
    for body in get_args(union):
        message = pb.DESCRIPTOR.message_types_by_name[body.__name__]
        fields = getattr(body, "_fields", None) or [*body.__dataclass_fields__]

        assert {field.name for field in message.fields} == set(fields), body


@pytest.mark.parametrize(("union", "message"), [(frames.UpBody, pb.UpFrame), (frames.DownBody, pb.DownFrame)])
def test_there_is_a_frame_for_every_body_of_the_contract(
    union: object, message: type[pb.UpFrame | pb.DownFrame]
) -> None:
    bodies = {
        field.message_type.name for field in message.DESCRIPTOR.oneofs_by_name["body"].fields if field.message_type
    }

    assert bodies == {body.__name__ for body in get_args(union)}


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (frames.Clock, pb.ClockAccount),
        (frames.ToldEvent, match_pb2.Event),
        (frames.HelloGame, pb.HelloGame),
        (frames.WelcomeGame, pb.WelcomeGame),
    ],
)
def test_a_value_inside_frames_has_the_fields_of_its_message(value: type, message: type[pb.ClockAccount]) -> None:
    fields = getattr(value, "_fields", None) or [*getattr(value, "__dataclass_fields__", {})]

    assert {field.name for field in message.DESCRIPTOR.fields} == set(fields)


def test_every_game_has_a_codec_and_its_line_in_the_view() -> None:
    fields = match_pb2.View.DESCRIPTOR.oneofs_by_name["game"].fields

    assert game_names() == codec_names()
    assert {field.name for field in fields} == set(codec_names())
    assert all(get_codec(name).game == name for name in codec_names())


def test_hello_is_frozen() -> None:
    """L6: fields of the first message are added, never changed."""
    expected = {
        "protocol_min": 1,
        "protocol_max": 2,
        "sdk": 3,
        "token": 4,
        "bot_version": 5,
        "instance": 6,
        "games": 7,
        "slots": 8,
        "changed_views": 9,
    }

    fields = {field.name: field.number for field in pb.Hello.DESCRIPTOR.fields}
    assert expected.items() <= fields.items()
    assert pb.UpFrame.DESCRIPTOR.fields_by_name["hello"].number == 3


def test_the_call_and_the_services_have_the_names_of_the_contract() -> None:
    assert PLAY == "/agon.v1.PlayService/Play"
    assert SERVICES == (
        "agon.v1.PlayService",
        "agon.v1.LadderService",
        "agon.v1.AdminService",
        "agon.v1.TournamentService",
    )


def test_every_service_in_the_proto_files_is_named() -> None:
    files = (ROOT / "proto/agon/v1").glob("*.proto")
    found = {name for file in files for name in re.findall(r"^service (\w+)", file.read_text(encoding="utf-8"), re.M)}

    assert found == {name.removeprefix("agon.v1.") for name in SERVICES}


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def test_only_the_codec_touches_generated_messages() -> None:
    codec = ROOT / "proto/agon/codec"
    users = {
        path
        for package in PACKAGES
        for path in (ROOT / package).rglob("*.py")
        if "_pb2" not in path.name and any(name.startswith("agon.") and "_pb2" in name for name in imports(path))
    }

    assert users
    assert {path for path in users if codec not in path.parents} == set()


@pytest.mark.parametrize("path", sorted((ROOT / "proto").rglob("*.proto")), ids=lambda path: path.stem)
def test_every_file_says_which_package_of_go_it_is(path: Path) -> None:
    """One module, `agonpb`, so that the command in proto/README.md needs no mapping of files to packages."""
    folder = path.parent.relative_to(ROOT / "proto").as_posix()
    name, version = folder.split("/")[-2:]

    assert f'option go_package = "agonpb/{folder};{name}{version}";\n' in path.read_text(encoding="utf-8")
