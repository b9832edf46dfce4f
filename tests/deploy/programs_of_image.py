"""Stand-ins for the image's programs, which take a quarter of an hour to make: they say a version, and want the C library alone."""

import subprocess
from pathlib import Path

# Where an ELF file says what machine it is for, and how.
MACHINE_AT = 18
MACHINES = {"amd64": b"\x3e\x00", "arm64": b"\xb7\x00"}
SOURCE = """\
#include <stdio.h>
int main(void) { return puts("tenon %s (a stand-in)") < 0; }
"""


def this_machine():
    return subprocess.run(["dpkg", "--print-architecture"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()


def machine_of(program):
    """Which of MACHINES the bytes of an ELF file are for."""
    return {code: name for name, code in MACHINES.items()}[program[MACHINE_AT:MACHINE_AT + 2]]


def make(folder, version):
    """FOLDER/{amd64,arm64}/tenon; the one for another machine is this machine's, with the other's name on it."""
    for name, code in MACHINES.items():
        program = Path(folder) / name / "tenon"
        program.parent.mkdir(parents=True)
        subprocess.run(["cc", "-x", "c", "-o", program, "-"], input=SOURCE % version, text=True, check=True)
        if name != this_machine():
            bytes_of = bytearray(program.read_bytes())
            bytes_of[MACHINE_AT:MACHINE_AT + 2] = code
            program.write_bytes(bytes_of)
