"""Write the reference pages that follow from the code: `python server/reference.py`.

METRICS.md from the declarations of the metrics, SETTINGS.md from the list of settings. A test holds them current.
"""

from __future__ import annotations

from pathlib import Path

from agon_server.config import ServerConfig
from agon_server.metrics import Metrics
from agon_server.settings import SETTINGS, default_text

ROOT = Path(__file__).resolve().parent


def metrics_page() -> str:
    return f"""# Metrics

`agon serve` answers `GET /metrics` in the Prometheus text format and `GET /healthz` with 200 (serving) or 503, on the
address of the setting `metrics` (127.0.0.1:7421 by default). Labels are bounded: games of the installation,
terminations and codes of the contract. Nothing is labelled with a match, a bot or an owner. Times are in seconds.
The number of decisions is `agon_decision_seconds_count`. Beside these, `process_*` tells CPU time, memory and open
files of the server process.

{Metrics().table()}"""


def settings_page() -> str:
    config = ServerConfig()
    rows = "\n".join(
        f"| `{setting.key}` | `{setting.env}` | {default_text(config, setting)} | {setting.help} |"
        for setting in SETTINGS
    )
    return f"""# Settings

A flag of `agon serve` wins over the environment, the environment over the file given by `--config`. Every setting can
be given as `--set KEY=VALUE`; the common ones have a flag of their own. Unknown keys, and values out of range, are
errors.
In the file a dotted key is a table: `limits.streams` is `streams` below `[limits]`.

```toml
listen = "0.0.0.0:7420"
house = ["greedy", "random"]

[tls]
cert = "/etc/agon/fullchain.pem"
key = "/etc/agon/key.pem"

[time]
move = 1.0
bank = 15
```

| key | environment | default | meaning |
|---|---|---|---|
{rows}
"""


PAGES = {"METRICS.md": metrics_page, "SETTINGS.md": settings_page}


if __name__ == "__main__":
    for name, page in PAGES.items():
        (ROOT / name).write_text(page(), encoding="utf-8")
