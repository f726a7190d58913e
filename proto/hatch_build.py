"""The build hook: makes the protobuf modules before a wheel or an editable install is put together."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

from hatchling.builders.config import BuilderConfig
from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class ProtoBuildHook(BuildHookInterface[BuilderConfig]):
    """Generates `*_pb2*.py*` in the source tree; hatch's `artifacts` then carries them into the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002  # hatchling's signature
        if self.target_name == "wheel":
            runpy.run_path(str(Path(self.root) / "proto" / "generate.py"))["generate"]()
