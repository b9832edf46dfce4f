"""What may be released: scripts/release.sh in a clone, without building anything."""

import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FILES = ["CMakeLists.txt", "CHANGELOG.md", "deploy/chart/Chart.yaml", "deploy/chart-crds/Chart.yaml", "scripts/common.sh",
         "scripts/release.sh"]
VERSION = re.search(r"^project\(tenon VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"), re.M)[1]
SECTION = f"## {VERSION} (2026-01-05)\n"


class Released(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tree = Path(folder.name)
        for file in FILES:
            (self.tree / file).parent.mkdir(parents=True, exist_ok=True)
            (self.tree / file).write_bytes((ROOT / file).read_bytes())
        (self.tree / "scripts/release.sh").chmod(0o755)
        changes = self.tree / "CHANGELOG.md"
        changes.write_text(changes.read_text(encoding="utf-8") + "\n" + SECTION, encoding="utf-8")
        self.git("init", "--quiet")
        self.commit()

    def git(self, *words):
        subprocess.run(["git", "-c", "user.name=n", "-c", "user.email=n@example.org", *words], cwd=self.tree, check=True,
                       stdout=subprocess.DEVNULL)

    def commit(self):
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "m")
        self.git("tag", "--force", f"v{VERSION}")

    def change(self, file, old, new):
        path = self.tree / file
        text = path.read_text(encoding="utf-8")
        self.assertIn(old, text)
        path.write_text(text.replace(old, new), encoding="utf-8")

    def check(self):
        done = subprocess.run([self.tree / "scripts/release.sh", "check"], cwd=self.tree, capture_output=True, text=True, check=False,
                              env={**os.environ, "HOME": str(self.tree)})
        return done.returncode, done.stderr

    def refused(self, *reasons):
        status, said = self.check()
        self.assertEqual(status, 1, said)
        for reason in reasons:
            self.assertIn(reason, said)
        self.assertEqual(len(said.splitlines()), 1 + len(reasons), said)

    def test_a_tagged_commit_with_a_section_of_its_own_may_be(self):
        self.assertEqual(self.check(), (0, ""))

    def test_what_is_not_committed_may_not(self):
        (self.tree / "new").write_text("x", encoding="utf-8")
        self.refused("not committed")

    def test_a_commit_without_the_tag_may_not(self):
        self.git("commit", "--quiet", "--allow-empty", "--message", "m")
        self.refused(f"no tag v{VERSION}")

    def test_a_version_that_nobody_described_may_not(self):
        self.change("CHANGELOG.md", SECTION, "")
        self.commit()
        self.refused("CHANGELOG.md has no section")

    def test_all_reasons_are_said_at_once(self):
        self.change("deploy/chart-crds/Chart.yaml", f"\nversion: {VERSION}", "\nversion: 9.9.9")
        self.refused("not committed", "deploy/chart-crds/Chart.yaml: version and appVersion")


if __name__ == "__main__":
    unittest.main()
