"""What a process holds while time passes: memory, descriptors, threads, looked at again and again."""

import json
import time
from pathlib import Path

MEGABYTE = 1 << 20
WARM_UP = 0.25      # part of the time in which caches fill, and which says nothing


class Samples:
    """Of one life of a process. Times are seconds since the first sample. `kept`: a file that has each as a line, whatever happens later."""

    def __init__(self, kept=None):
        self.began = time.monotonic()
        self.rows, self.kept = [], kept
        if kept:
            kept.write_text("", encoding="utf-8")

    def take(self, process, **more):
        """A sample, unless the process has ended; `more` is kept with it."""
        if process.is_running():
            self.rows.append({"at": time.monotonic() - self.began, "rss": process.resident_bytes() / MEGABYTE,
                              "anonymous": process.proc_number("status", "RssAnon:") / 1024,
                              "files": open_files(process.pid), "threads": process.proc_number("status", "Threads:"),
                              "processor": process.cpu_seconds(), **more})
            if self.kept:
                with self.kept.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(self.rows[-1]) + "\n")

    def warm(self):
        """The samples after the warm-up."""
        return [row for row in self.rows if row["at"] >= WARM_UP * self.rows[-1]["at"]]

    def summary(self):
        """Least and most of each, and how much higher the mean of the second half is than that of the first."""
        rows = self.warm()
        return {name: {"least": round(min(values), 2), "most": round(max(values), 2), "growth": growth(values)}
                for name, values in ((name, [row[name] for row in rows]) for name in ("rss", "anonymous", "files", "threads"))}


def open_files(pid):
    return sum(1 for _ in Path(f"/proc/{pid}/fd").iterdir())


def growth(values):
    """How much higher the mean of the second half is than that of the first."""
    half = len(values) // 2
    return round(sum(values[half:]) / (len(values) - half) - sum(values[:half]) / half, 2)
