#!/usr/bin/env python3
"""Figures of our library against libpcap, from one interleaved run.

A cell is one program run on one side. The cells of a group are run in turn, round after round, so
that whatever else the machine does falls on all of them alike. A row of the table compares two cells:
the medians of both, and the median of the ratios of each round. A new figure is a row, and a cell or
two where no other row has them.
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Optional

HERE = Path(__file__).resolve().parent
PROGRAM_SECONDS = 30
# Of the rounds of a cell this many may fail for want of quiet (a fill that lost frames); then the run fails.
MOST_FAILURES = 3
# The search for a rate without loss goes down by this factor, this often at most.
RATE_STEP, RATE_STEPS = 0.95, 12


@dataclass
class Cell:
    """A program with its arguments and environment, and how a value comes out of it."""

    args: list
    env: dict = field(default_factory=dict)
    # Takes the arguments and gives the results; None: one run of the program.
    search: Optional[callable] = None


@dataclass
class Group:
    name: str
    rounds: int
    cells: dict


@dataclass
class Row:
    figure: str
    group: str
    ours: str
    theirs: Optional[str]
    key: str
    unit: str
    # Floor and aim are ratios (how many times better ours is), or with absolute=True values of ours.
    floor: Optional[float] = None
    aim: Optional[float] = None
    more_is_better: bool = False
    absolute: bool = False


def run_program(build, args, env):
    """The results of one run, by name."""
    command = [str(build / "bench" / args[0]), *map(str, args[1:])]
    done = subprocess.run(
        command, env={**os.environ, **env}, capture_output=True, text=True, timeout=PROGRAM_SECONDS
    )
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip()}")
    lines = (line.split() for line in done.stdout.splitlines())
    return {name: float(value) for name, value in lines}


def lossless(build, args, env):
    """The highest rate at which `stream KIND COUNT` loses nothing, beginning as fast as the sender can."""
    result = run_program(build, [*args, 0], env)
    rate = result["rate"]
    for _ in range(RATE_STEPS):
        if result["lost"] == 0:
            return {"rate": result["rate"] / 1e6}
        rate *= RATE_STEP
        result = run_program(build, [*args, int(1e9 / rate)], env)
    return {"rate": 0.0}


def walk(kind, size):
    return Cell(["walk", kind, size])


GROUPS = [
    Group(
        "cache",
        21,
        {
            kind: walk(kind, "warm")
            for kind in ["recv", "next_ex", "recv-touch", "next_ex-touch", "dispatch", "loop",
                         "burst", "recv-long"]
        },
    ),
    Group("memory", 7, {kind: walk(kind, "cold") for kind in ["recv", "next_ex", "dispatch"]}),
    Group(
        "full rate",
        7,
        {kind: Cell(["stream", kind, 1_000_000, 0]) for kind in ["recv", "next_ex"]},
    ),
    Group(
        "lossless",
        7,
        {kind: Cell(["stream", kind, 300_000], search=lossless) for kind in ["recv", "next_ex"]},
    ),
    Group(
        "lone",
        7,
        {kind: Cell(["stream", kind, 60, 5_000_000, 20_000_000]) for kind in ["recv", "next_ex"]},
    ),
    Group("idle", 7, {kind: Cell(["idle", kind, 1500]) for kind in ["recv", "next_ex"]}),
]

NS = "ns/packet"
ROWS = [
    Row("full ring in the cache: pfring_recv / pcap_next_ex", "cache", "recv", "next_ex",
        "ns_per_packet", NS, 2.5, 3.3),
    Row("full ring in the cache: pfring_recv / pcap_dispatch", "cache", "recv", "dispatch",
        "ns_per_packet", NS, 1.3, 1.65),
    Row("  the same, 16 bytes read / pcap_next_ex", "cache", "recv-touch", "next_ex-touch",
        "ns_per_packet", NS),
    Row("  pfring_loop / pcap_dispatch", "cache", "loop", "dispatch", "ns_per_packet", NS),
    Row("  pfring_recv_burst / pcap_dispatch", "cache", "burst", "dispatch", "ns_per_packet", NS),
    Row("  PF_RING_LONG_HEADER / pcap_next_ex", "cache", "recv-long", "next_ex", "ns_per_packet", NS),
    Row("full ring in memory: pfring_recv / pcap_next_ex", "memory", "recv", "next_ex",
        "ns_per_packet", NS),
    Row("full ring in memory: pfring_recv / pcap_dispatch", "memory", "recv", "dispatch",
        "ns_per_packet", NS),
    Row("receiver CPU at full rate / pcap_next_ex", "full rate", "recv", "next_ex",
        "cpu_ns_per_packet", NS, 2.5, 4.0),
    Row("lossless rate of a tap / libpcap default", "lossless", "recv", "next_ex", "rate",
        "million/s", 0.95, 1.05, more_is_better=True),
    Row("nothing configured: lone packet, p99", "lone", "recv", "next_ex", "p99_us", "us",
        15_000, 12_000, absolute=True),
    Row("nothing configured: idle CPU", "idle", "recv", "next_ex", "cpu_percent", "%",
        0.1, 0.03, absolute=True),
]


def run_group(group, build, rounds, progress):
    """Rounds of results of each cell: a list of dicts by cell."""
    done, failures = [], 0
    while len(done) < rounds:
        try:
            done.append({
                name: (cell.search or run_program)(build, cell.args, cell.env)
                for name, cell in group.cells.items()
            })
        except (RuntimeError, subprocess.TimeoutExpired) as error:
            failures += 1
            print(f"{group.name}: a round is done again: {error}", file=sys.stderr)
            if failures > MOST_FAILURES:
                raise
        progress(f"{group.name}: {len(done)} of {rounds}")
    return done


def judge(row, rounds):
    """What a row says, as a dict."""
    ours = [results[row.ours][row.key] for results in rounds]
    theirs = [results[row.theirs][row.key] for results in rounds] if row.theirs else None
    figure = {"figure": row.figure.strip(), "unit": row.unit, "ours": statistics.median(ours),
              "runs": len(ours), "all_ours": ours, "floor": row.floor, "aim": row.aim}
    if theirs:
        pairs = zip(ours, theirs) if row.more_is_better else zip(theirs, ours)
        ratios = [better / worse if worse else float("inf") for better, worse in pairs]
        figure |= {"libpcap": statistics.median(theirs), "ratio": statistics.median(ratios),
                   "all_libpcap": theirs}
    if row.floor is not None:
        value, up = (figure["ours"], row.more_is_better) if row.absolute else (figure["ratio"], True)
        reached = (lambda bound: value >= bound) if up else (lambda bound: value <= bound)
        figure["held"] = reached(row.floor)
        figure["aim_reached"] = reached(row.aim)
    return figure


def number(value):
    return "" if value is None else f"{value:.3g}" if abs(value) < 1000 else f"{value:,.0f}"


def table(rows, figures):
    widths = (52, 9, 9, 7, 8, 8)
    def line(*columns):
        first, *rest = columns
        cells = "".join(f"{text:>{width}}" for text, width in zip(rest, widths[1:]))
        return f"{first:<{widths[0]}}{cells}"
    out = [line("figure", "ours", "libpcap", "ratio", "floor", "aim") + "  held?"]
    for row, figure in zip(rows, figures):
        mark = "" if row.absolute else "x"
        bounds = [number(b) + mark if b is not None else "" for b in (row.floor, row.aim)]
        ratio = number(figure.get("ratio")) + "x" if "ratio" in figure else ""
        held = ""
        if "held" in figure:
            held = "aim reached" if figure["aim_reached"] else "yes" if figure["held"] else "floor missed"
        out.append(f"{line(row.figure, number(figure['ours']), number(figure.get('libpcap')), ratio, *bounds)}"
                   f"  {held or row.unit}")
    return "\n".join(out)


def machine():
    return {"kernel": platform.release(), "cpus": os.cpu_count(), "load": os.getloadavg(),
            "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=HERE.parent / "build", help="the build prefix")
    parser.add_argument("--only", metavar="GROUP", action="append", help="one group, can be repeated: "
                        + ", ".join(group.name for group in GROUPS))
    parser.add_argument("--rounds", type=int, help="rounds of each group instead of its own number")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all values there")
    options = parser.parse_args()

    def progress(text):
        if sys.stderr.isatty():
            print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)

    groups = [group for group in GROUPS if not options.only or group.name in options.only]
    before = machine()
    rounds = {group.name: run_group(group, options.build, options.rounds or group.rounds, progress)
              for group in groups}
    progress("")
    rows = [row for row in ROWS if row.group in rounds]
    figures = [judge(row, rounds[row.group]) for row in rows]
    print(table(rows, figures))
    if options.json:
        document = {"machine": before, "figures": figures}
        options.json.write_text(json.dumps(document, indent=1) + "\n")


if __name__ == "__main__":
    try:
        main()
    except (RuntimeError, OSError, subprocess.TimeoutExpired) as error:
        sys.exit(f"bench: {error}")
