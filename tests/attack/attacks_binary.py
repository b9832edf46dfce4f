"""Hardening of a release build against exploits, read from the ELF file itself."""

import struct
from pathlib import Path

ET_DYN, PT_DYNAMIC, PT_GNU_STACK, PT_GNU_RELRO, PT_LOAD = 3, 2, 0x6474E551, 0x6474E552, 1
PF_X, PF_W = 1, 2
SHT_SYMTAB, SHT_DYNSYM, STT_FUNC, STB_GLOBAL = 2, 11, 2, 1
DT_RPATH, DT_RUNPATH, DT_TEXTREL, DT_FLAGS, DT_FLAGS_1 = 15, 29, 22, 30, 0x6FFFFFFB
DF_BIND_NOW, DF_1_NOW, DF_1_PIE = 8, 1, 0x8000000
# First instruction of a function that may be the target of an indirect jump: endbr64; paciasp or bti c.
LANDINGS = {62: (b"\xf3\x0f\x1e\xfa",), 183: (b"\x3f\x23\x03\xd5", b"\x5f\x24\x03\xd5")}


class Elf:
    """A 64-bit little-endian ELF file: the parts that the attacks read."""

    def __init__(self, path):
        self.bytes = Path(path).read_bytes()
        assert self.bytes[:6] == b"\x7fELF\x02\x01", "not a 64-bit little-endian ELF file"
        (self.type, self.machine, _, _, segments_at, sections_at, _, _, segment_size, segment_count, section_size,
         section_count, _) = struct.unpack_from("<HHIQQQIHHHHHH", self.bytes, 16)
        # type, flags, offset, virtual address, physical address, size in the file, in memory, alignment
        self.segments = [struct.unpack_from("<IIQQQQQQ", self.bytes, segments_at + i * segment_size)
                         for i in range(segment_count)]
        # name, type, flags, address, offset, size, link, info, alignment, size of an entry
        self.sections = [struct.unpack_from("<IIQQQQIIQQ", self.bytes, sections_at + i * section_size)
                         for i in range(section_count)]

    def segment(self, kind):
        return next((segment for segment in self.segments if segment[0] == kind), None)

    def dynamic(self):
        """{tag: value}"""
        _, _, offset, _, _, size, _, _ = self.segment(PT_DYNAMIC) or (0,) * 8
        return dict(struct.unpack_from("<QQ", self.bytes, offset + at) for at in range(0, size, 16))

    def symbols(self, kind):
        """(name, type, binding, address, size) of a table."""
        for _, section_type, _, _, offset, size, link, _, _, _ in self.sections:
            if section_type != kind:
                continue
            names = self.sections[link][4]
            for at in range(offset, offset + size, 24):
                name, info, _, _, value, length = struct.unpack_from("<IBBHQQ", self.bytes, at)
                end = self.bytes.index(b"\0", names + name)
                yield self.bytes[names + name:end].decode(), info & 15, info >> 4, value, length

    def code_at(self, address, size):
        for kind, _, offset, start, _, length, _, _ in self.segments:
            if kind == PT_LOAD and start <= address < start + length:
                return self.bytes[offset + address - start:][:size]
        return b""


def share_of_landings(elf):
    """The share of exported functions that begin with such an instruction."""
    starts = [elf.code_at(address, 4) for _, kind, binding, address, size in elf.symbols(SHT_SYMTAB)
              if kind == STT_FUNC and binding == STB_GLOBAL and size]
    return sum(start in LANDINGS[elf.machine] for start in starts) / max(1, len(starts))


def missing(elf):
    dynamic = elf.dynamic()
    imported = [name.split("@")[0] for name, *_ in elf.symbols(SHT_DYNSYM)]
    stack = elf.segment(PT_GNU_STACK)
    checks = {
        "position-independent (PIE)": elf.type == ET_DYN and dynamic.get(DT_FLAGS_1, 0) & DF_1_PIE,
        "read-only relocations (-z relro)": elf.segment(PT_GNU_RELRO),
        "bound at the start (-z now)": dynamic.get(DT_FLAGS, 0) & DF_BIND_NOW or dynamic.get(DT_FLAGS_1, 0) & DF_1_NOW,
        "a stack that cannot be run (-z noexecstack)": stack and not stack[1] & PF_X,
        "no memory that can be written and run": not any(
            kind == PT_LOAD and flags & PF_X and flags & PF_W for kind, flags, *_ in elf.segments),
        "no relocations in code": DT_TEXTREL not in dynamic,
        "no search path of its own": DT_RPATH not in dynamic and DT_RUNPATH not in dynamic,
        "stack protector (-fstack-protector-strong)": "__stack_chk_fail" in imported,
        "checked copies (-D_FORTIFY_SOURCE)": sum(name.endswith("_chk") for name in imported) >= 3,
        "marked jump targets (-fcf-protection, -mbranch-protection)": share_of_landings(elf) > 0.9,
    }
    return [name for name, found in checks.items() if not found]


def a_release_build_is_hardened(program):
    lacks = missing(Elf(program))
    assert not lacks, "the binary lacks " + "; ".join(lacks)
