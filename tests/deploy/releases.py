"""What may be released, and what then lies there: scripts/release.sh in a tree of its own, without building anything."""

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import yaml

import programs_of_image

ROOT = Path(__file__).resolve().parents[2]
FILES = ["CMakeLists.txt", "CHANGELOG.md", "deploy/chart/Chart.yaml", "deploy/chart-crds/Chart.yaml", "scripts/common.sh",
         "scripts/release.sh"]
VERSION = re.search(r"^project\(tenon VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"), re.M)[1]
SECTION = f"## {VERSION} (2026-01-05)\n"
TENON = None
# Stands for scripts/image.sh, which takes half an hour.
IMAGE = """\
#!/bin/sh -e
mkdir -p build/image/out/layout
for each in index.json sbom-amd64.spdx.json; do echo '{}' >build/image/out/$each; done
mv build/image/out/index.json build/image/out/layout
"""


class Tree(unittest.TestCase):
    """A tree that may be released."""

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

    def release(self, *words, **variables):
        return subprocess.run([self.tree / "scripts/release.sh", *words], cwd=self.tree, capture_output=True, text=True, check=False,
                              env={**os.environ, "HOME": str(self.tree), **variables})


class Checked(Tree):
    def change(self, file, old, new):
        path = self.tree / file
        text = path.read_text(encoding="utf-8")
        self.assertIn(old, text)
        path.write_text(text.replace(old, new), encoding="utf-8")

    def check(self):
        done = self.release("check")
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


class Gathered(Tree):
    URL = "https://example.com/releases/tenon"

    def setUp(self):
        super().setUp()
        for folder in ("scripts", "deploy"):
            shutil.copytree(ROOT / folder, self.tree / folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
        for file in (".gitignore", "LICENSE"):
            shutil.copy(ROOT / file, self.tree / file)
        for name, text in (("build", "#!/bin/sh\n"), ("image", IMAGE)):
            (self.tree / f"scripts/{name}.sh").write_text(text, encoding="utf-8")
        self.commit()
        programs_of_image.make(self.tree / "build/image", VERSION)
        self.files = self.tree / "build/release-files"

    def gather(self):
        done = self.release(URL=self.URL, TENON=TENON, MAINTAINER="A <a@example.com>")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_krews_manifest_names_files_of_the_release(self):
        self.gather()
        spec = yaml.safe_load((self.files / "tenon.krew.yaml").read_text(encoding="utf-8"))["spec"]
        self.assertEqual(spec["homepage"], self.URL)
        self.assertEqual(len(spec["platforms"]), 2)
        for platform in spec["platforms"]:
            folder, name = platform["uri"].rsplit("/", 1)
            self.assertEqual(folder, self.URL)
            self.assertEqual(platform["sha256"], hashlib.sha256((self.files / name).read_bytes()).hexdigest())
        sums = (self.files / "SHA256SUMS").read_text(encoding="ascii")
        self.assertEqual({line.split()[1] for line in sums.splitlines()}, {path.name for path in self.files.iterdir()} - {"SHA256SUMS"})


if __name__ == "__main__":
    unittest.main()
