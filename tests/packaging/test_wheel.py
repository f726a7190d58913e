"""What is in the wheel and what its metadata promise. Whether it works when installed is `test_installs`' part."""

from __future__ import annotations

import re
import tomllib
import zipfile
from pathlib import Path, PurePosixPath

import pytest
from tests.support.installs import Wheel, normal
from tests.support.tree import PACKAGES, ROOT

PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def shipped(clone: Path) -> set[str]:
    """The files of the packages, by their names in a wheel."""
    return {
        str(path.relative_to((clone / package).parent))
        for package in PACKAGES
        for path in (clone / package).rglob("*")
        if path.is_file()
    }


def generated(proto: Path, root: Path) -> set[str]:
    """The modules and stubs that protoc makes of a file."""
    has_service = re.search(r"^service ", proto.read_text(encoding="utf-8"), re.MULTILINE)
    kinds = ("_pb2", "_pb2_grpc") if has_service else ("_pb2",)
    stem = proto.relative_to(root).with_suffix("")
    return {f"{stem}{kind}{suffix}" for kind in kinds for suffix in (".py", ".pyi")}


def pins(requirements: list[str]) -> dict[str, str]:
    return {normal(name): version for name, _, version in (text.partition("==") for text in requirements) if version}


def test_the_wheel_holds_every_file_of_the_packages_the_generated_modules_and_nothing_else(
    wheel: Wheel, clone: Path
) -> None:
    files = {name for name in wheel.names if ".dist-info/" not in name}
    protos = list((clone / "proto").rglob("*.proto"))

    assert protos
    assert files == shipped(clone).union(*(generated(proto, clone / "proto") for proto in protos))


def test_data_that_is_read_at_run_time_is_in_the_wheel(wheel: Wheel) -> None:
    suffixes = {PurePosixPath(name).suffix for name in wheel.names}

    assert {".lua", ".json", ".proto", ".pyi", ".typed"} <= suffixes


def test_every_package_says_that_it_is_typed(wheel: Wheel) -> None:
    assert {f"{path.partition('/')[2]}/py.typed" for path in PACKAGES} <= wheel.names
    assert "Typing :: Typed" in wheel.metadata.get_all("Classifier", [])


def test_the_lower_bounds_are_the_versions_that_the_generated_code_asks_for(wheel: Wheel) -> None:
    with zipfile.ZipFile(wheel.path) as archive:
        messages = archive.read("agon/v1/play_pb2.py").decode()
        services = archive.read("agon/v1/play_pb2_grpc.py").decode()
    protobuf = re.search(r"^# Protobuf Python Version: ([\d.]+)$", messages, re.MULTILINE)
    grpcio = re.search(r"^GRPC_GENERATED_VERSION = '([\d.]+)'$", services, re.MULTILINE)

    assert protobuf is not None
    assert grpcio is not None
    assert wheel.bounds() == {"protobuf": protobuf[1], "grpcio": grpcio[1]}


def test_only_the_runtimes_of_the_generated_code_have_upper_bounds(wheel: Wheel) -> None:
    bounded = {re.split(r"[<>=]", text)[0] for text in wheel.requirements if "<" in text}

    assert bounded == {"grpcio", "protobuf"}


def test_the_build_and_the_development_tools_generate_with_the_same_versions() -> None:
    build = pins(PYPROJECT["build-system"]["requires"])

    assert set(build) == {"grpcio-tools", "mypy-protobuf"}
    assert build == pins(PYPROJECT["dependency-groups"]["dev"])


@pytest.mark.parametrize("name", ["license", "readme", "summary", "requires-python"])
def test_the_metadata_tell_what_an_index_shows(wheel: Wheel, name: str) -> None:
    told = {
        "license": wheel.metadata["License-Expression"],
        "readme": wheel.metadata.get_payload(),
        "summary": wheel.metadata["Summary"],
        "requires-python": wheel.metadata["Requires-Python"],
    }

    assert told[name]
    assert told["license"] == "Apache-2.0"
    assert told["requires-python"] == ">=3.11"
