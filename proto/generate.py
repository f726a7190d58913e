"""Generate the protobuf modules beside their .proto files: `python proto/generate.py` (or `make proto`).

The build hook and the Makefile both call `generate`, so an editable install and a wheel hold the same code.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent


def proto_files(root: Path = ROOT) -> list[Path]:
    """Return every .proto file below the root, in a fixed order."""
    return sorted((root / "agon").rglob("*.proto"))


def generate(root: Path = ROOT) -> list[Path]:
    """Run protoc over all .proto files; return the generated files. Raise RuntimeError when protoc refuses."""
    from grpc_tools import protoc

    includes = Path(protoc.__file__).parent / "_proto"
    sources = [str(path.relative_to(root)) for path in proto_files(root)]
    services = [name for name in sources if "service " in (root / name).read_text(encoding="utf-8")]

    # protoc looks its plugins up on PATH; they lie beside the interpreter, whether or not its environment is active.
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])

    def run(arguments: list[str]) -> None:
        code = protoc.main(["protoc", f"-I{root}", f"-I{includes}", *arguments])
        if code != 0:
            raise RuntimeError(f"protoc failed with exit code {code}; its messages are above")

    run([f"--python_out={root}", f"--mypy_out=quiet:{root}", *sources])
    run([f"--grpc_python_out={root}", f"--mypy_grpc_out=quiet:{root}", *services])
    return sorted((root / "agon").rglob("*_pb2*.py*"))


if __name__ == "__main__":
    made = generate()
    sys.stdout.write(f"generated {len(made)} files below {ROOT.name}/agon\n")
