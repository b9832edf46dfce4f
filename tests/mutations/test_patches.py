"""The mutations still apply to the tree. They are run by hand (`make mutations`), so a patch that fails would go unnoticed."""

import subprocess
import unittest
from pathlib import Path

FOLDER = Path(__file__).resolve().parent


class Patches(unittest.TestCase):
    def test_each_applies(self):
        patches = sorted(FOLDER.glob("*.patch"))
        self.assertTrue(patches)
        for patch in patches:
            with self.subTest(patch.name):
                done = subprocess.run(["git", "apply", "--check", str(patch)], cwd=FOLDER.parents[1],
                                      capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
