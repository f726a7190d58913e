"""Generate the protobuf modules beside their .proto files: `python proto/generate.py` (or `make proto`).

The build hook and the Makefile both call `generate`, so an editable install and a wheel hold the same code.
"""

from __future__ import annotations

import sys
from importlib.metadata import distribution
from pathlib import Path

ROOT = Path(__file__).resolve().parent


def proto_files(root: Path = ROOT) -> list[Path]:
    """Return every .proto file below the root, in a fixed order."""
    return sorted((root / "agon").rglob("*.proto"))


def generate(root: Path = ROOT) -> list[Path]:
    """Run protoc over all .proto files; return the generated files. Raise RuntimeError when protoc refuses.

    Modules whose .proto file is gone are removed.
    """
    from grpc_tools import protoc

    includes = Path(protoc.__file__).parent / "_proto"
    sources = [str(path.relative_to(root)) for path in proto_files(root)]
    services = [name for name in sources if "service " in (root / name).read_text(encoding="utf-8")]
    plugins = [
        f"--plugin={name}={_script('mypy-protobuf', name)}" for name in ("protoc-gen-mypy", "protoc-gen-mypy_grpc")
    ]

    def run(arguments: list[str]) -> None:
        code = protoc.main(["protoc", f"-I{root}", f"-I{includes}", *plugins, *arguments])
        if code != 0:
            raise RuntimeError(f"protoc failed, its messages are above: exit code {code!r}")

    run([f"--python_out={root}", f"--mypy_out=quiet:{root}", *sources])
    run([f"--grpc_python_out={root}", f"--mypy_grpc_out=quiet:{root}", *services])
    for path in _generated(root):
        if not path.with_name(f"{path.name.partition('_pb2')[0]}.proto").exists():
            path.unlink()
    return _generated(root)


def _generated(root: Path) -> list[Path]:
    return sorted((root / "agon").rglob("*_pb2*.py*"))


def _script(project: str, name: str) -> Path:
    """Find a script of an installed project: in a build environment of its own it need not be on PATH."""
    for file in distribution(project).files or ():
        if file.stem == name:
            return Path(file.locate()).resolve()

    raise RuntimeError(f"{project} is installed without the script {name!r}")


if __name__ == "__main__":
    made = generate()
    sys.stdout.write(f"generated {len(made)} files below {ROOT.name}/agon\n")
