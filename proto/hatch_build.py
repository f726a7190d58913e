"""The build hook: makes the protobuf modules before a wheel or an editable install is put together, and compiles the
hot modules of a wheel where that is asked for."""

from __future__ import annotations

import runpy
import shutil
from pathlib import Path
from typing import Any

from hatchling.builders.config import BuilderConfig
from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class AgonBuildHook(BuildHookInterface[BuilderConfig]):
    """Generates `*_pb2*.py*` in the source tree; hatch's `artifacts` then carries them into the wheel."""

    def dependencies(self) -> list[str]:
        """What the build needs besides `build-system.requires`."""
        compiler = self._script("compile_hot")
        return list(compiler["REQUIREMENTS"]) if compiler["is_wanted"]() else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Make what the target is put together from."""
        if self.target_name != "wheel":
            return

        self._script("generate")["generate"]()
        compiler = self._script("compile_hot")
        if not compiler["is_wanted"]():
            return
        if version == "editable":
            raise RuntimeError(f"{compiler['SWITCH']} is for wheels: an editable install runs its sources")

        root = Path(self.root)
        build_data["force_include"].update(compiler["compile_hot"](root, root / "build" / "compiled"))
        build_data["infer_tag"] = True
        build_data["pure_python"] = False

    def finalize(self, *_: Any) -> None:
        """Remove what was made for the wheel that is finished now."""
        shutil.rmtree(Path(self.root) / "build" / "compiled", ignore_errors=True)

    def _script(self, name: str) -> dict[str, Any]:
        return runpy.run_path(str(Path(self.root) / "proto" / f"{name}.py"))
