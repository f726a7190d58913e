"""The mirror of tuples and messages, on messages made for it: all kinds of field, and what it refuses."""

from __future__ import annotations

from enum import IntEnum
from typing import Any, NamedTuple

import pytest
from google.protobuf import descriptor_pb2, descriptor_pool
from google.protobuf.descriptor import Descriptor
from google.protobuf.descriptor_pb2 import FieldDescriptorProto as Field
from google.protobuf.message_factory import GetMessageClass
from hypothesis import example, given, strategies as st

from agon.codec.mirror import Mirror, Vocabulary
from agon.codec.wire import varint

NOTHING = -1


class Hue(IntEnum):
    NONE = 0
    RED = 1
    BLUE = 200


class Leaf(NamedTuple):
    size: int
    hue: Hue


class Tree(NamedTuple):
    height: int
    standing: bool
    hue: Hue
    owner: int
    rings: tuple[int, ...]
    hues: tuple[Hue, ...]
    leaves: tuple[Leaf, ...]
    rows: tuple[tuple[Leaf, ...], ...]


VOCABULARY = Vocabulary.of(tuples=[Tree, Leaf], enums=[Hue], absent=NOTHING)


def field(name: str, kind: Any, number: int, *, repeated: bool = False, of: str = "", optional: bool = False) -> Field:
    made = Field(name=name, type=kind, number=number, label=Field.LABEL_REPEATED if repeated else Field.LABEL_OPTIONAL)
    if of:
        made.type_name = f".test.{of}"
    if optional:
        made.proto3_optional = True
        made.oneof_index = 0
    return made


def messages(*extra: descriptor_pb2.DescriptorProto) -> descriptor_pool.DescriptorPool:
    def message(name: str, *fields: Field) -> descriptor_pb2.DescriptorProto:
        made = descriptor_pb2.DescriptorProto(name=name, field=fields)
        if any(item.proto3_optional for item in fields):
            made.oneof_decl.add(name="_owner")
        return made

    file = descriptor_pb2.FileDescriptorProto(name="test.proto", package="test", syntax="proto3")
    enum = file.enum_type.add(name="Hue")
    for hue in Hue:
        enum.value.add(name=f"HUE_{hue.name}", number=hue.value)
    file.message_type.extend(
        [
            message("Leaf", field("size", Field.TYPE_UINT32, 1), field("hue", Field.TYPE_ENUM, 2, of="Hue")),
            message("Row", field("leaves", Field.TYPE_MESSAGE, 1, repeated=True, of="Leaf")),
            message(
                "Tree",
                field("height", Field.TYPE_UINT64, 1),
                field("standing", Field.TYPE_BOOL, 2),
                field("hue", Field.TYPE_ENUM, 3, of="Hue"),
                field("owner", Field.TYPE_UINT32, 4, optional=True),
                field("rings", Field.TYPE_UINT32, 17, repeated=True),
                field("hues", Field.TYPE_ENUM, 18, repeated=True, of="Hue"),
                field("leaves", Field.TYPE_MESSAGE, 19, repeated=True, of="Leaf"),
                field("rows", Field.TYPE_MESSAGE, 5000, repeated=True, of="Row"),
            ),
            *extra,
        ]
    )
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return pool


POOL = messages()
MESSAGE = GetMessageClass(POOL.FindMessageTypeByName("test.Tree"))
MIRROR = Mirror(POOL.FindMessageTypeByName("test.Tree"), VOCABULARY)

uint32 = st.integers(0, 2**32 - 1)
hues = st.sampled_from(Hue)
leaves = st.lists(st.builds(Leaf, uint32, hues), max_size=3).map(tuple)
trees = st.builds(
    Tree,
    st.integers(0, 2**64 - 1),
    st.booleans(),
    hues,
    st.just(NOTHING) | uint32,
    st.lists(st.integers(0, 300) | uint32, max_size=5).map(tuple),
    st.lists(hues, max_size=4).map(tuple),
    leaves,
    st.lists(leaves, max_size=3).map(tuple),
)


@given(trees)
def test_a_tuple_comes_back_from_its_bytes(tree: Tree) -> None:
    decoded = MIRROR.decode(MESSAGE.FromString(MIRROR.encode(tree)))

    assert tree == decoded
    assert type(decoded.standing) is bool
    assert type(decoded.hue) is Hue


@given(trees)
def test_the_bytes_are_those_that_protobuf_writes(tree: Tree) -> None:
    message = MESSAGE(
        height=tree.height,
        standing=tree.standing,
        hue=tree.hue.value,
        owner=None if tree.owner == NOTHING else tree.owner,
        rings=tree.rings,
        hues=tree.hues,
        leaves=[{"size": leaf.size, "hue": leaf.hue.value} for leaf in tree.leaves],
        rows=[{"leaves": [{"size": leaf.size, "hue": leaf.hue.value} for leaf in row]} for row in tree.rows],
    )

    assert message.SerializeToString() == MIRROR.encode(tree)


@given(st.integers(0, 2**64 - 1))
@example(0x7F)
@example(0x80)
@example(0x3FFF)
@example(0x4000)
@example(2**64 - 1)
def test_a_varint_has_seven_bits_a_byte(value: int) -> None:
    data = varint(value)

    assert value == sum((byte & 0x7F) << 7 * place for place, byte in enumerate(data))
    assert [byte >> 7 for byte in data] == [1] * (len(data) - 1) + [0]


@pytest.mark.parametrize(("number", "wide"), [(-2, -2), (2**32, 2**64)])
def test_a_number_that_its_field_does_not_hold_is_refused(number: int, wide: int) -> None:
    """Not cut to its lowest bits, as readers would."""
    tree = Tree(0, standing=False, hue=Hue.NONE, owner=NOTHING, rings=(), hues=(), leaves=(), rows=())

    for broken in (tree._replace(height=wide), tree._replace(rings=(3, number)), tree._replace(owner=number)):
        with pytest.raises(ValueError, match="range"):
            MIRROR.encode(broken)


def test_a_varint_has_no_more_than_its_bits() -> None:
    assert varint(2**32 - 1, 32) == varint(2**32 - 1)
    for number, bits in ((2**32, 32), (2**64, 64), (-1, 64)):
        with pytest.raises(ValueError, match=f"of {bits} bits: {number}"):
            varint(number, bits)


def test_an_enum_number_that_the_engine_lacks_is_refused() -> None:
    with pytest.raises(KeyError):
        MIRROR.decode(MESSAGE(hue=7))
    with pytest.raises(KeyError):
        MIRROR.decode(MESSAGE(hues=[1, 7]))


def strange(name: str, *fields: Field) -> Descriptor:
    made = descriptor_pb2.DescriptorProto(name=name, field=fields)
    if any(item.proto3_optional for item in fields):
        made.oneof_decl.add(name="_owner")
    descriptor: Descriptor = messages(made).FindMessageTypeByName(f"test.{name}")
    return descriptor


class Bush(NamedTuple):
    size: int


@pytest.mark.parametrize(
    ("message", "match"),
    [
        (strange("Bush", field("width", Field.TYPE_UINT32, 1)), "the fields"),
        (strange("Bush", field("size", Field.TYPE_STRING, 1)), "a number is unsigned"),
        (strange("Bush", field("size", Field.TYPE_INT32, 1)), "a number is unsigned"),
        (strange("Bush", field("size", Field.TYPE_MESSAGE, 1, of="Leaf")), "a message inside a part is a list"),
        (strange("Bush", field("size", Field.TYPE_ENUM, 1, of="Hue", optional=True)), "an enum says none by its 0"),
        (
            strange("Hedge", field("a", Field.TYPE_UINT32, 1), field("b", Field.TYPE_UINT32, 2)),
            "the fields",
        ),
    ],
    ids=lambda value: "" if isinstance(value, str) else value.fields[0].name,
)
def test_what_does_not_mirror_is_refused_when_the_mirror_is_made(message: Descriptor, match: str) -> None:
    with pytest.raises(TypeError, match=match):
        Mirror(message, Vocabulary.of(tuples=[Bush, Leaf], enums=[Hue], absent=NOTHING))


def test_an_enum_that_the_vocabulary_lacks_is_refused_when_the_mirror_is_made() -> None:
    with pytest.raises(TypeError, match="lacks the enum 'Hue'"):
        Mirror(POOL.FindMessageTypeByName("test.Leaf"), Vocabulary.of([Leaf], [], NOTHING))
