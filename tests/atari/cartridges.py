# SPDX-License-Identifier: Apache-2.0
"""Generates cartridges for our machine and ale-py's. They test instructions or registers, or are random bytes.

All have 4096 bytes from $F000 on. They are played under the name of a game (STEM) with simple rules: its mode is chosen
without switches, and it is over when the byte at OVER is not 0.
"""

from __future__ import annotations

import numpy as np

STEM = "seaquest"
OVER = 0xA3

VSYNC, VBLANK, WSYNC = 0x00, 0x01, 0x02
TIM1T, INTIM = 0x0294, 0x0284
SEED, COUNT, SLOT, A, X, Y, P, IDLE, SP, FRAME, SCRATCH = range(0x80, 0x8B)
FIRST_BYTE = 0xB8  # first byte of RAM after power-on
IDLE_FROM, IDLE_FRAMES = 0x7F, 200  # byte at IDLE after power-on; number of idle frames, which precede the comparison
RESULTS, RESULT_END = 0xB0, 0xD0  # a ring buffer of the results of instructions
CODE = 0x90  # address of instructions that run from RAM

JAMS = (0x02, 0x12, 0x22, 0x32, 0x42, 0x52, 0x62, 0x72, 0x92, 0xB2, 0xD2, 0xF2)
BRANCHES = (0x10, 0x30, 0x50, 0x70, 0x90, 0xB0, 0xD0, 0xF0)
JUMPS = (0x00, 0x20, 0x40, 0x4C, 0x60, 0x6C)  # BRK JSR RTI JMP RTS JMP()
END_FRAME_BYTES = 18

STACK = (0x08, 0x28, 0x48, 0x68, 0x9A, 0x9B, 0xBB)  # instructions with the stack pointer: PHP PLP PHA PLA TXS SHS LAS
PLAIN = tuple(op for op in range(256) if op not in JAMS + BRANCHES + JUMPS + STACK)


def length_of(op: int) -> int:
    """Returns the size of an instruction in bytes, documented or not."""
    column = op & 0x1F
    if op == 0x20:
        return 3
    if column in (0x08, 0x0A, 0x12, 0x18, 0x1A) or op in (0x40, 0x60):
        return 1
    if column in (0x19, 0x1B) or column & 0x0F >= 0x0C:
        return 3
    return 2


class Program:
    """Machine code from $F000 on."""

    def __init__(self) -> None:
        self.code = bytearray()

    @property
    def here(self) -> int:
        return 0xF000 + len(self.code)

    def emit(self, *values: int) -> None:
        self.code += bytes(values)

    def absolute(self, op: int, address: int) -> None:
        self.emit(op, address & 0xFF, address >> 8)

    def jump(self, address: int) -> None:
        self.absolute(0x4C, address)

    def call(self, address: int) -> None:
        self.absolute(0x20, address)

    def load(self, value: int) -> None:
        self.emit(0xA9, value)

    def store(self, address: int) -> None:
        self.emit(0x85, address)

    def set(self, address: int, value: int) -> None:
        self.load(value)
        self.store(address)

    def end_frame(self) -> None:
        """Emits the vertical synchronization, which ends a frame. It changes only A."""
        self.set(OVER, 0)
        self.set(VSYNC, 2)
        for _ in range(3):
            self.store(WSYNC)
        self.set(VSYNC, 0)

    def image(self, start: int = 0xF000, interrupt: int = 0xF000) -> bytes:
        assert len(self.code) <= 4090, len(self.code)
        rom = self.code.ljust(4096, b"\xea")
        rom[0xFFA:] = bytes(byte for vector in (start, start, interrupt) for byte in (vector & 0xFF, vector >> 8))
        return bytes(rom)


# --- instructions ---


def harness(program: Program) -> tuple[int, int, int, int, int]:
    """Emits the subroutines and returns their addresses.

    They are: set random registers; record the registers; record saved registers; end the frame; the interrupt handler.
    """
    setup = program.here
    program.emit(0xD8)  # CLD
    for register in (A, X, Y, P):
        program.emit(0xE6, COUNT, 0xA5, SEED, 0x0A, 0x90, 0x02, 0x49, 0x1D, 0x45, COUNT, 0x85, SEED, 0x85, register)
    program.load(255)
    program.absolute(0x8D, TIM1T)
    program.emit(0xA5, P, 0x48, 0xA6, X, 0xA4, Y, 0xA5, A, 0x28, 0x60)  # PHA, registers, PLP, RTS

    fold = program.here
    program.emit(0x08, 0x85, A, 0x86, X, 0x84, Y, 0x68, 0x85, P, 0xBA, 0x86, SP)  # PHP .. PLA, TSX
    fold_saved = program.here
    program.absolute(0xAD, INTIM)  # the elapsed time
    program.emit(0xD8, 0xA6, SLOT)
    for register in (A, X, Y, P, SP):
        program.emit(0x18, 0x65, register, 0x95, 0x00, 0xE8)  # ADC, STA 0,X, INX
    program.emit(0xE0, RESULT_END - 5, 0x90, 0x02, 0xA2, RESULTS, 0x86, SLOT, 0x60)

    end = program.here
    program.end_frame()
    program.emit(0x60)
    interrupt = program.here
    program.emit(0xE6, SCRATCH, 0x40)  # INC, RTI
    return setup, fold, fold_saved, end, interrupt


def operand(rng: np.random.Generator, op: int) -> list[int]:
    """Returns random operands. Addresses are mostly in RAM, often in chips, sometimes in the cartridge or anywhere."""
    low = int(rng.integers(256))
    if length_of(op) == 1:
        return []
    if length_of(op) == 2:
        column = op & 0x1F
        is_address = column not in (0x00, 0x02, 0x09, 0x0B)
        return [int(rng.choice([0xA4 + low % 0x5C, low, low & 0x3F], p=[0.6, 0.2, 0.2])) if is_address else low]
    high = int(rng.choice([0x00, 0x01, 0x02, 0xF0 | low & 15, 0x10, 0x20, int(rng.integers(256))]))
    return [low | 0x80 if rng.random() < 0.5 else low, high]


def instruction(program: Program, rng: np.random.Generator, op: int, parts: tuple[int, ...]) -> None:
    """Emits one experiment: sets random registers, executes the instruction, records the registers and the clock."""
    setup, fold, fold_saved, _, _ = parts
    program.call(setup)
    if op in STACK:
        program.emit(0x9A, op, *operand(rng, op))  # TXS
        program.emit(0x85, A, 0x86, X, 0x84, Y, 0x08, 0x68, 0x85, P, 0xBA, 0x86, SP, 0xA2, 0xFF, 0x9A)
        program.call(fold_saved)
        return
    if op in BRANCHES:
        if rng.random() < 0.5:  # forward
            program.emit(op, 2, 0xE6, SCRATCH)
        else:
            program.emit(0xB8, 0x50, 5)  # CLV, BVC over
            program.emit(0xE6, SCRATCH)
            program.jump(program.here + 5)
            program.emit(op, -7 & 0xFF)
    elif op == 0x00:
        program.emit(0x00, 0xFF)
    elif op == 0x20:  # JSR over a marker, then drop the return address
        program.call(program.here + 5)
        program.emit(0xE6, SCRATCH, 0x68, 0x85, A, 0x68)
    elif op == 0x4C:
        program.jump(program.here + 5)
        program.emit(0xE6, SCRATCH)
    elif op == 0x60:
        back = program.here + 6
        program.emit(0xA9, back >> 8, 0x48, 0xA9, back & 0xFF, 0x48, 0x60)
    elif op == 0x40:
        back = program.here + 10
        program.emit(0xA9, back >> 8, 0x48, 0xA9, back & 0xFF, 0x48, 0xA5, Y, 0x48, 0x40)
    elif op == 0x6C:
        back = program.here + 11
        program.set(0xFE, back & 0xFF)
        program.set(0xFF, back >> 8)
        program.absolute(0x6C, 0x01FE if rng.random() < 0.5 else 0x00FE)
    else:
        program.emit(op, *operand(rng, op))
    program.call(fold)


def start_up() -> tuple[Program, tuple[int, ...]]:
    """Starts a program: emits the harness and idle frames. Returns the program and the addresses of the harness.

    The program does nothing before the comparison begins, so the first difference is detected when it occurs.
    """
    program = Program()
    program.jump(0xF100)
    parts = harness(program)
    program.code = program.code.ljust(0x100, b"\xea")
    begin = program.here
    program.emit(
        0xD8, 0xA2, 0xFF, 0x9A, 0xA5, IDLE, 0xC9, (IDLE_FROM + IDLE_FRAMES) & 0xFF, 0xF0, 0x05 + END_FRAME_BYTES
    )
    program.emit(0xE6, IDLE)
    program.end_frame()
    program.jump(begin)
    program.set(SEED, 0x5A)
    program.set(SLOT, RESULTS)
    return program, parts


def finish(program: Program, loop: int, parts: tuple[int, ...]) -> bytes:
    program.call(parts[3])
    program.set(SLOT, RESULTS)  # an instruction may have overwritten it
    program.emit(0xE6, FRAME)
    program.jump(loop)
    return program.image(interrupt=parts[4])


def instruction_cartridge(seed: int, per_frame: int = 12) -> bytes:
    """Runs all instructions except those that jam the CPU, in random order with random operands, in several frames."""
    rng = np.random.default_rng(seed)
    program, parts = start_up()
    loop = program.here
    for index, op in enumerate(rng.permutation([op for op in range(256) if op not in JAMS]).tolist()):
        instruction(program, rng, op, parts)
        if index % per_frame == per_frame - 1:
            program.call(parts[3])
    return finish(program, loop, parts)


def ram_code_cartridge(seed: int, instructions: int = 120) -> bytes:
    """Runs plain instructions from RAM, where they cannot be decoded in advance."""
    rng = np.random.default_rng(seed)
    program, parts = start_up()
    loop = program.here
    for index, op in enumerate(rng.choice(PLAIN, instructions, replace=False).tolist()):
        for at, byte in enumerate([op, *operand(rng, op), 0x60]):
            program.set(CODE + at, byte)
        program.call(parts[0])
        program.call(CODE)
        program.call(parts[1])
        if index % 12 == 11:
            program.call(parts[3])
    return finish(program, loop, parts)


def jamming_cartridge(op: int) -> bytes:
    """Jams the CPU in the 100th frame."""
    program = Program()
    loop = program.here
    program.end_frame()
    program.emit(0xE6, FRAME, 0xA5, FRAME, 0xC9, 100, 0xD0, 0x01, op)
    program.set(FRAME, 100)
    program.jump(loop)
    return program.image()


# --- special cases ---


def first_run_cartridge() -> bytes:
    """Reads the TIA only when it first runs, which is during ALE's detection of the TV standard."""
    program = Program()
    program.emit(0xA5, 0x80, 0xC9, FIRST_BYTE, 0xD0, 0xFE)  # BNE to itself
    program.set(0x80, 0)
    for register in range(16):
        program.emit(0xA5, register, 0x85, 0x90 + register)
    program.emit(0x02)
    return program.image()


def bus_cartridge() -> bytes:
    """Ends every frame just before the TIA's addresses, so that the next frame starts with the byte left on the bus.

    From $0100 to $017F, the CPU then executes code that shows which byte of RAM that was: RAM holds CLC nearly
    everywhere, SEC in the byte with the lives, and BRK in its last byte. Execution then reaches RAM, which begins with
    a jump to the entry.
    """
    lives, frame, log = 0xBB, 0x83, 0x90
    program = Program()
    program.emit(0xD8, 0xA2, 0xFF, 0x9A)
    program.set(frame, 0)
    program.jump(0xF080)
    program.code = program.code.ljust(0x40, b"\xea")
    entry = program.here
    program.emit(0xA9, 0x00, 0x2A)  # ROL: the carry
    program.jump(0xF062)
    program.code = program.code.ljust(0x60, b"\xea")
    interrupt = program.here
    program.emit(0xA9, 0x02)
    program.emit(0xA6, frame, 0x95, log, 0xE8, 0xE0, 0x58, 0x90, 0x02, 0xA2, 0x00, 0x86, frame)
    program.code = program.code.ljust(0x80, b"\xea")
    program.emit(0xA2, 0xFF, 0x9A)
    for at, value in ((0x80, 0x4C), (0x81, entry & 0xFF), (0x82, entry >> 8), (0xFE, 0x84), (0xFF, 0), (lives, 0x38)):
        program.set(at, value)
    program.set(OVER, 0)
    program.set(VSYNC, 2)
    for _ in range(4):
        program.store(WSYNC)
    program.emit(0xA0, 0x00)
    program.jump(0x00FE)  # STY VSYNC
    return program.image(interrupt=interrupt)


def late_hmove_cartridge(cycle: int) -> bytes:
    """Strobes HMOVE at a given cycle of a line."""
    program = Program()
    program.emit(0xD8, 0xA2, 0xFF, 0x9A)
    loop = program.here
    program.end_frame()
    program.set(0x09, 0x46)
    program.emit(0xA2, 60, 0x85, WSYNC, 0xCA, 0xD0, 0xFB)
    wait(program, cycle - 7)
    program.store(0x2A)
    program.emit(*(0x85, WSYNC) * 30)
    program.jump(loop)
    return program.image()


def cut_off_cartridge(op: int, register: int, jams: bool) -> bytes:
    """Cuts off the first frame in the middle of a line, after an access to the TIA that has no effect."""
    program = Program()
    program.emit(0xD8, 0xA2, 0xFF, 0x9A)
    program.end_frame()
    program.set(0x09, 0x46)
    program.emit(0xA2, 60, 0x85, WSYNC, 0xCA, 0xD0, 0xFB)
    wait(program, 30)
    program.emit(op, register)
    if jams:
        program.emit(0x02)
    else:
        program.jump(program.here)
    return program.image()


def ended_by_vsync_cartridge(cycle: int, code: str) -> bytes:
    """Cuts off every frame with these instructions, given in hexadecimal. The first one begins at a given cycle of a line.

    VSYNC is on all the time. A and X are 0, and the stack pointer is 1, so that JSR pushes two bytes to VBLANK and VSYNC.
    Two frames of 60 lines and two of 68 alternate, and the playfield has another colour in every frame. The row in which a
    frame is cut off therefore keeps other pixels.
    """
    program = Program()
    program.emit(0xD8)
    loop = program.here
    program.set(OVER, 0)
    program.set(VSYNC, 2)
    program.set(0x09, 0x46)
    program.set(0x0E, 0xFF)
    program.emit(0xA2, 0x01, 0x9A, 0xE6, FRAME, 0xA5, FRAME, 0x85, 0x08)
    program.emit(0x29, 0x02, 0x0A, 0x0A, 0x18, 0x69, 60, 0xAA)
    program.emit(0x85, WSYNC, 0xCA, 0xD0, 0xFB)
    program.load(0)
    wait(program, cycle - 6)
    program.emit(*bytes.fromhex(code))
    program.jump(loop)
    return program.image()


def star_field_cartridge(cycle: int) -> bytes:
    """Keeps missile 0 moving by the "Cosmic Ark" effect, and writes the same NUSIZ0 at a given cycle of every line."""
    program = Program()
    program.emit(0xD8, 0xA2, 0xFF, 0x9A)
    loop = program.here
    program.end_frame()
    program.set(0x06, 0x46)
    program.set(0x1D, 2)
    program.set(0x22, 0x70)
    program.emit(0x85, WSYNC, 0x85, 0x2A, 0xA9, 0x60)
    wait(program, 16)
    program.emit(0x85, 0x22, 0xA9, 0x10, 0xA2, 200)
    line = program.here
    program.store(WSYNC)
    wait(program, cycle - 3)
    program.emit(0x85, 0x04, 0xCA, 0xD0, line - program.here - 5 & 0xFF)
    program.jump(loop)
    return program.image()


# --- registers of the TIA ---


def wait(program: Program, cycles: int) -> None:
    """Waits for a number of cycles, but not for 1, because no instruction takes a single cycle."""
    if cycles % 2:
        if cycles < 3:
            return
        program.emit(0x04, 0x8F)  # 3 cycles
        cycles -= 3
    program.emit(*[0xEA] * (cycles // 2))


def scene(program: Program, rng: np.random.Generator) -> None:
    """Sets random sizes, colours, shapes and positions of all objects."""
    for register in (*range(0x04, 0x10), *range(0x1B, 0x29)):
        value = int(rng.integers(256))
        if register in (0x1D, 0x1E, 0x1F):
            value |= 2
        if register in (0x28, 0x29):
            value = 2 if rng.random() < 0.15 else 0
        program.emit(0xA9, value)
        if rng.random() < 0.3:
            program.emit(0x45, FRAME)
        program.store(register)
    for register in range(0x10, 0x15):
        program.store(WSYNC)
        wait(program, int(rng.integers(0, 62)))
        program.store(register)


def screen_cartridge(registers: list[int], reads: list[int], seed: int, lines: int = 200) -> bytes:
    """Draws frames whose lines write some registers and read others, each at a random cycle."""
    rng = np.random.default_rng(seed)
    program = Program()
    program.emit(0xD8, 0xA2, 0xFF, 0x9A)
    loop = program.here
    program.end_frame()
    program.emit(0xE6, FRAME)
    if rng.random() < 0.8:
        scene(program, rng)
    program.set(VBLANK, 0)
    program.set(0x2C, 0)
    blank = int(rng.integers(20, 40))  # number of lines before the visible ones
    program.emit(0xA2, blank, 0x85, WSYNC, 0xCA, 0xD0, 0xFB)
    line = 0
    repeat = int(rng.integers(2, 6))  # number of times that the code of the lines runs, with different values
    program.set(SCRATCH, repeat)
    again = program.here
    room = 4060 - 16 * 5 - 30
    while line * repeat < lines and len(program.code) < room:
        line += 1
        if rng.random() < 0.85:
            program.store(WSYNC)
        wait(program, int(rng.integers(0, 40)))
        for _ in range(int(rng.integers(1, 4))):
            if reads and rng.random() < (0.3 if registers else 1):
                read = int(rng.choice(reads))
                program.emit(0xA5, read, 0x85 if rng.random() < 0.7 else 0x65, int(rng.integers(0xB0, 0xE0)))
            elif registers:
                register = int(rng.choice(registers))
                kind = rng.random()
                if kind < 0.4:
                    program.set(register, int(rng.integers(256)))
                elif kind < 0.7:
                    program.emit(0xA5, FRAME, 0x49, int(rng.integers(256)), 0x85, register)
                elif kind < 0.8:
                    program.emit(0xA5, int(rng.integers(0xB0, 0xE0)), 0x85, register)
                elif kind < 0.85:
                    program.emit(0xE6, register)  # INC reads, then writes
                elif kind < 0.9:
                    program.absolute(0x8D, register)
                else:
                    program.emit(0x86 if kind < 0.95 else 0x84, register)  # STX, STY
            wait(program, int(rng.choice([0, 0, 2, 3, 5, 7, 12])))
    program.emit(0xC6, SCRATCH, 0xF0, 0x03)
    program.jump(again)
    for register in range(16):
        program.emit(0xA5, register, 0x85, 0xE0 + register)
    program.jump(loop)
    return program.image()


def random_cut_off_cartridge(seed: int) -> bytes:
    """Draws a scene of few objects and cuts it off within a line, by a jammed CPU, an endless loop or a short frame."""
    rng = np.random.default_rng(seed)
    program = Program()
    program.emit(0xD8, 0xA2, 0xFF, 0x9A)
    loop = program.here
    how = seed % 3
    if how == 2:
        program.set(OVER, 0)
        program.set(VSYNC, 2)
        program.emit(*(0x85, WSYNC) * 3)
    else:
        program.end_frame()
    program.emit(0xE6, FRAME)
    scene(program, rng)
    shown = rng.choice(6, int(rng.integers(0, 4)), replace=False).tolist()
    for index, registers in enumerate([(0x1B,), (0x1C,), (0x1D,), (0x1E,), (0x1F,), (0x0D, 0x0E, 0x0F)]):
        for register in () if index in shown else registers:
            program.set(register, 0)
    program.set(0x0A, int(rng.choice([0x00, 0x01, 0x04, 0x02, 0x06, 0x10, 0x30, 0x14, 0x32])))
    program.set(VBLANK, 2 if rng.random() < 0.04 else 0)
    program.emit(0xA2, int(rng.integers(5, 40)), 0x85, WSYNC, 0xCA, 0xD0, 0xFB)
    if rng.random() < 0.4:
        program.store(0x2A)
    wait(program, int(rng.integers(15, 55)))
    for _ in range(int(rng.integers(0, 3))):
        if rng.random() < 0.6:
            program.store(int(rng.integers(0x03, 0x2D)))
        else:
            program.emit(0xA5, int(rng.integers(16)))
    if how == 0:
        program.emit(0x02)
    elif how == 1:
        program.jump(program.here)
    else:
        program.emit(0xA0, 0x00, 0x84, VSYNC)
        program.jump(loop)
    return program.image()


def random_bytes(seed: int) -> bytes:
    """Returns random bytes, biased towards stores to the TIA."""
    rng = np.random.default_rng(seed)
    rom = bytearray(rng.integers(0, 256, 4096, dtype=np.uint8).tobytes())
    at = 0
    while at < 4090:
        kind = int(rng.integers(8))
        if kind < 3:
            rom[at : at + 2] = bytes([int(rng.choice([0x84, 0x85, 0x86])), int(rng.integers(0x2D))])
        elif kind < 5:
            rom[at : at + 2] = bytes([int(rng.choice([0xA9, 0xA2, 0xA0])), int(rng.integers(256))])
        at += int(rng.integers(1, 4))
    rom[0xFFC:] = bytes([0x00, 0xF0, int(rng.integers(256)), 0xF0 | int(rng.integers(16))])
    return bytes(rom)
