"""The build hook: makes the protobuf modules before the wheel (or the editable install) is put together."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class ProtoBuildHook(BuildHookInterface):  # type: ignore[type-arg]  # hatchling's generic has no public parameter
    """Generates `*_pb2*.py` in the source tree; hatch's `artifacts` then carries them into the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if self.target_name == "sdist":
            return

        # The plugins of protoc are scripts of this (isolated) environment: make them findable.
        import os

        os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
        runpy.run_path(str(Path(self.root) / "proto" / "generate.py"))["generate"]()
