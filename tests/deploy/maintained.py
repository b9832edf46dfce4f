"""What the Debian package does beside its files: deploy/debian, run with commands that only write down what they are asked."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TENON = None
# Where systemd runs, this folder is there.
SYSTEMD = "/run/systemd/system"
UNIT = "tenon.service"
RELOAD = "systemctl --system daemon-reload"
NOTE = f"deb-systemd-helper update-state {UNIT}"
HELPERS = ("deb-systemd-helper", "deb-systemd-invoke", "systemctl")
STUB = """\
#!/bin/sh
echo "${0##*/} $*" >>"$CALLED"
exit "${STATUS:-0}"
"""


class Scripts(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.systemd = self.folder / "systemd"
        self.systemd.mkdir()
        (self.folder / "bin").mkdir()
        for name in HELPERS:
            (self.folder / "bin" / name).write_text(STUB, encoding="utf-8")
            (self.folder / "bin" / name).chmod(0o755)

    def called(self, script, *words, **variables):
        """What a script calls, line by line; it has to end well and to say nothing."""
        text = (ROOT / "deploy/debian" / script).read_text(encoding="utf-8").replace(SYSTEMD, str(self.systemd))
        calls = self.folder / "calls"
        calls.write_text("", encoding="utf-8")
        done = subprocess.run(["/bin/sh", "-c", text, script, *words], capture_output=True, text=True, check=False,
                              env={**os.environ, "PATH": str(self.folder / "bin"), "CALLED": str(calls), **variables})
        self.assertEqual((done.returncode, done.stdout + done.stderr), (0, ""))
        return calls.read_text(encoding="utf-8").splitlines()

    def test_a_first_installation_starts_nothing(self):
        self.assertEqual(self.called("postinst", "configure", ""), [NOTE, RELOAD])

    def test_an_upgrade_restarts_what_runs_and_stops_nothing_before(self):
        self.assertEqual(self.called("prerm", "upgrade", "0.2.0"), [])
        self.assertEqual(self.called("postrm", "upgrade", "0.2.0"), [])
        self.assertEqual(self.called("postinst", "configure", "0.1.0"), [NOTE, RELOAD, f"deb-systemd-invoke try-restart {UNIT}"])

    def test_a_removal_stops_and_disables(self):
        self.assertEqual(self.called("prerm", "remove"), [f"deb-systemd-invoke stop {UNIT}", f"deb-systemd-helper disable {UNIT}"])
        self.assertEqual(self.called("postrm", "remove"), [RELOAD])

    def test_a_purge_forgets(self):
        self.assertEqual(self.called("postrm", "purge"), [f"deb-systemd-helper purge {UNIT}"])

    def test_without_systemd_only_links_are_looked_after(self):
        self.systemd.rmdir()
        self.assertEqual(self.called("postinst", "configure", "0.1.0"), [NOTE])
        self.assertEqual(self.called("prerm", "remove"), [f"deb-systemd-helper disable {UNIT}"])
        self.assertEqual(self.called("postrm", "remove"), [])

    def test_without_debians_helpers_nothing_fails(self):
        for name in HELPERS[:2]:
            (self.folder / "bin" / name).unlink()
        self.assertEqual(self.called("postinst", "configure", "0.1.0"), [RELOAD])
        self.assertEqual(self.called("prerm", "remove"), [])
        self.assertEqual(self.called("postrm", "purge"), [])

    def test_a_service_that_will_not_start_does_not_fail_the_package(self):
        for script, *words in (("postinst", "configure", "0.1.0"), ("prerm", "remove"), ("postrm", "remove"), ("postrm", "purge")):
            self.assertTrue(self.called(script, *words, STATUS="1"))
