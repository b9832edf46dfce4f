"""What was measured, in one file: a member for each program, with when and where it was measured."""

import json
import os
import platform
import subprocess
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "bench" / "aws" / "results.json"


def record(name, result, file=None):
    """Prints a result, and writes it into the file beside the others unless `file` is None."""
    whole = {"date": time.strftime("%Y-%m-%d %H:%M", time.gmtime()), "commit": commit(), "processors": os.cpu_count(),
             "load": round(os.getloadavg()[0], 1), "machine": platform.machine(), **result}
    print(json.dumps({name: whole}, indent=1))
    if file:
        known = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
        file.write_text(json.dumps({**known, name: whole}, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def commit():
    return subprocess.run(["git", "-C", ROOT, "rev-parse", "--short", "HEAD"], capture_output=True, text=True,
                          check=False).stdout.strip()
