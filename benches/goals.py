#!/usr/bin/env python3
"""The goals of the wait engine against libpcap: runs the bench programs, prints a row per goal.

Each program measures one side once; a round runs all of them, ours and libpcap's in turn, so that a
machine that changes its speed meanwhile changes it for both. A figure is the median of the rounds, a
ratio that of two medians. Needs root or unprivileged user namespaces, and two CPUs.
"""

import argparse
import json
import math
import os
import platform
import signal
import statistics
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
DOCS = HERE.parent / "docs"
ROUNDS = 5
QUICK_ROUNDS = 1
PROGRAM_TIMEOUT_S = 45

# Each run, a command line: without the words in braces it is the name of the run. {wake} and {lone} are
# seconds, {idle} milliseconds, {flood} frames.
RUNS = [
    "walk warm {warm}", "walk cold {cold}",
    "rate ours default {flood}", "rate libpcap default {flood}",
    "rate ours active {flood}", "rate libpcap immediate {flood}", "rate ours bpf {flood}",
    "burst ours active", "burst libpcap immediate", "burst ours active 2",
    "wake ours active 1000 {wake}", "wake libpcap immediate 1000 {wake}", "wake ours spin0 1000 {wake}",
    "wake ours watermark1 1000 {wake}",
    "wake ours active 50000 {wake}", "wake libpcap immediate 50000 {wake}", "wake ours spin0 50000 {wake}",
    "wake ours adaptive 50000 {wake}", "wake ours default 50000 {wake}",
    "wake ours default 50 {lone}", "wake ours guarded 50 {lone}",
    "idle ours default {idle}", "idle ours adaptive {idle}", "idle ours guarded {idle}",
    "idle bare poll {idle}", "wake libpcap immediate 50 {lone}",
    "send flush0 {sent}", "send flush1 {sent}", "send inject {sent}", "send sendmmsg {sent}", "send txring {sent}",
    "rules hash miss", "rules hash hit", "rules drop kernel", "rules drop here",
    # Only for the chart.
    "wake ours watermark1 50000 {wake}", "wake ours sleep 50000 {wake}", "wake ours yield 50000 {wake}",
    "wake libpcap default 50000 {wake}",
]
KINDS = {"cold": "recv next_ex dispatch", "warm": "recv next_ex dispatch recv-touch next_ex-touch burst loop recv-long"}
LENGTHS = {**KINDS, "wake": "0.7", "lone": "4", "idle": "2000", "flood": "1000000", "sent": "500000"}
QUICK_LENGTHS = {**KINDS, "wake": "0.3", "lone": "0.5", "idle": "1000", "flood": "200000", "sent": "100000"}

# How a row is judged. LESS: libpcap's figure over ours, at least the floor. MORE: ours over libpcap's,
# at least the floor. NEAR: ours over libpcap's, at most the floor. LIMIT: ours alone, at most the floor.
LESS, MORE, NEAR, LIMIT = "less", "more", "near", "limit"

# How many of the figure's own unit, nanoseconds for times, make one of the unit that is printed.
UNITS = {"ns": 1, "us": 1e3, "ms": 1e6, "%": 1, "pps": 1, "frames": 1}


def row(text, unit, ours, theirs, sense, floor=None, aim=None):
    """OURS and THEIRS: a run and the name of its figure, with a colon between. Without a floor a row only tells."""
    return {"text": text, "unit": unit, "ours": ours, "theirs": theirs, "sense": sense, "floor": floor, "aim": aim}


def wake_rows(mode, text):
    fast, slow = f"wake ours {mode} 50000", f"wake ours {mode} 1000"
    their_fast, their_slow = "wake libpcap immediate 50000", "wake libpcap immediate 1000"
    return [
        row(f"wake-up, {text}, 1,000 pps, p50", "us", f"{slow}: p50_ns", f"{their_slow}: p50_ns", LESS, 8, 10),
        row(f"wake-up, {text}, 1,000 pps, p99", "us", f"{slow}: p99_ns", f"{their_slow}: p99_ns", LESS, 3),
        row(f"wake-up, {text}, 50,000 pps, p50", "us", f"{fast}: p50_ns", f"{their_fast}: p50_ns", LESS, 6, 8),
    ]


ROWS = [
    row("full ring, per packet, vs pcap_next_ex", "ns", "walk warm: recv", "walk warm: next_ex", LESS, 2.5, 3.3),
    row("full ring, per packet, vs pcap_dispatch", "ns", "walk warm: recv", "walk warm: dispatch", LESS, 1.3, 1.65),
    row("  16 bytes read, vs pcap_next_ex", "ns", "walk warm: recv-touch", "walk warm: next_ex-touch", LESS),
    row("  pfring_recv_burst, vs pcap_dispatch", "ns", "walk warm: burst", "walk warm: dispatch", LESS),
    row("  pfring_loop, vs pcap_dispatch", "ns", "walk warm: loop", "walk warm: dispatch", LESS),
    row("  PF_RING_LONG_HEADER (a full parse)", "ns", "walk warm: recv-long", "walk warm: next_ex", LESS),
    row("  ring in memory, not in the cache, vs pcap_next_ex", "ns", "walk cold: recv", "walk cold: next_ex", LESS),
    row("  ring in memory, not in the cache, vs pcap_dispatch", "ns", "walk cold: recv", "walk cold: dispatch", LESS),
    row("receiver CPU per packet, full rate, vs pcap_next_ex", "ns", "rate ours default: cpu_ns_per_packet",
        "rate libpcap default: cpu_ns_per_packet", LESS, 2.5, 4),
    row("lossless rate, both at defaults", "pps", "rate ours default: lossless_pps",
        "rate libpcap default: lossless_pps", MORE, 0.95, 1.05),
    row("lossless rate, low latency, vs immediate", "pps", "rate ours active: lossless_pps",
        "rate libpcap immediate: lossless_pps", MORE, 10, 20),
    row("BPF ring: lossless rate, vs libpcap's default", "pps", "rate ours bpf: lossless_pps",
        "rate libpcap default: lossless_pps", MORE, 1.0, 1.2),
    row("BPF ring: kernel time per packet, vs TPACKET_V3", "ns", "rate ours bpf: kernel_ns_per_packet",
        "rate ours default: kernel_ns_per_packet", NEAR, 0.75, 0.55),
    row("BPF ring: receiver CPU per packet, vs pcap_next_ex", "ns", "rate ours bpf: cpu_ns_per_packet",
        "rate libpcap default: cpu_ns_per_packet", LESS),
    row("burst kept, low latency, vs immediate, defaults", "frames", "burst ours active: kept",
        "burst libpcap immediate: kept", MORE, 100, 400),
    row("burst kept, low latency, vs immediate, 2 MiB each", "frames", "burst ours active 2: kept",
        "burst libpcap immediate: kept", MORE, 30, 100),
    *wake_rows("active", "active"),
    *wake_rows("spin0", "caller spins on wait = 0"),
    row("wake-up, passive with watermark 1, 1,000 pps, p50", "us", "wake ours watermark1 1000: p50_ns",
        "wake libpcap immediate 1000: p50_ns", NEAR, 1.25, 1.0),
    row("adaptive, 50,000 pps, p50", "us", "wake ours adaptive 50000: p50_ns",
        "wake libpcap immediate 50000: p50_ns", LESS, 5, 8),
    row("adaptive, 50,000 pps, CPU", "%", "wake ours adaptive 50000: cpu_percent", None, LIMIT, 80, 60),
    row("adaptive, idle CPU", "%", "idle ours adaptive: cpu_percent", None, LIMIT, 0.2, 0.1),
    row("passive, 50,000 pps, CPU, vs immediate", "%", "wake ours default 50000: cpu_percent",
        "wake libpcap immediate 50000: cpu_percent", LESS, 8, 14),
    row("nothing configured, lone packet, p99", "ms", "wake ours default 50: p99_ns", None, LIMIT, 15, 12),
    row("nothing configured, idle CPU", "%", "idle ours default: cpu_percent", None, LIMIT, 0.1, 0.03),
    row("spins on empty calls, guarded, idle CPU", "%", "idle ours guarded: cpu_percent", None, LIMIT, 1, 0.3),
    row("  a bare poll loop of as many sleeps", "%", "idle bare poll: cpu_percent", None, LIMIT),
    row("spins on empty calls, guarded, lone packet, p99", "ms", "wake ours guarded 50: p99_ns", None, LIMIT, 1, 0.2),
    row("  libpcap, immediate mode and poll, p99", "ms", "wake libpcap immediate 50: p99_ns", None, LIMIT),
    row("frames sent, flush = 0, vs pcap_inject", "pps", "send flush0: sent_pps", "send inject: sent_pps", MORE, 1.3, 1.5),
    row("frames sent, flush = 0, vs sendmmsg", "pps", "send flush0: sent_pps", "send sendmmsg: sent_pps", MORE, 0.95, 1.05),
    row("frames sent, flush = 0, vs a transmit ring", "pps", "send flush0: sent_pps", "send txring: sent_pps", MORE, 0.95, 1.05),
    row("frames sent, flush = 1, vs pcap_inject", "pps", "send flush1: sent_pps", "send inject: sent_pps", MORE, 1.0, 1.1),
    row("10,000 hash rules against 100, no packet has one", "ns", "rules hash miss: many", "rules hash miss: few",
        NEAR, 1.2, 1.0),
    row("10,000 hash rules against 100, each packet has one", "ns", "rules hash hit: many", "rules hash hit: few",
        NEAR, 1.2, 1.0),
    row("rules drop 90 %, CPU per frame offered, kernel against library", "ns", "rules drop kernel: cpu_ns_per_packet",
        "rules drop here: cpu_ns_per_packet", NEAR, 0.5, 0.25),
]
NOT_BUILT = ["lossless rate, exclusive"]

# What the chart shows: its name, the run, whether it is ours.
DOTS = [
    ("passive (default)", "wake ours default 50000", True),
    ("passive, watermark 1", "wake ours watermark1 50000", True),
    ("active", "wake ours active 50000", True),
    ("adaptive", "wake ours adaptive 50000", True),
    ("sleep", "wake ours sleep 50000", True),
    ("yield", "wake ours yield 50000", True),
    ("wait = 0 in a loop", "wake ours spin0 50000", True),
    ("libpcap immediate + poll", "wake libpcap immediate 50000", False),
    ("libpcap default", "wake libpcap default 50000", False),
]


def run_program(command):
    """The figures of one run as a dictionary, or None, with the reason on stderr, if it failed."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               start_new_session=True)
    try:
        out, err = process.communicate(timeout=PROGRAM_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)  # its sender, too
        process.communicate()
        err, out = f"not done after {PROGRAM_TIMEOUT_S} s", ""
    if process.returncode != 0:
        print(f"goals: {' '.join(command[1:])}: {err.strip()}", file=sys.stderr)
        return None
    return {key: float(value) for key, value in (line.split() for line in out.splitlines())}


def name_of(template):
    return " ".join(word for word in template.split() if not word.startswith("{"))


def measure(programs, rounds, lengths, only):
    """Runs all whose names begin with ONLY, ROUNDS times. Returns run name -> figure name -> one value a round."""
    results = {}
    for number in range(rounds):
        for template in filter(lambda run: run.startswith(only), RUNS):
            name = name_of(template)
            program, *arguments = template.format(**lengths).split()
            if sys.stderr.isatty():
                print(f"\r\033[K{number + 1}/{rounds} {name}", end="", file=sys.stderr)
            for key, value in (run_program([str(programs / program), *arguments]) or {}).items():
                results.setdefault(name, {}).setdefault(key, []).append(value)
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr)
    return results


def median(data, figure):
    """The median of a figure over the rounds; None if it was not measured."""
    run, key = figure.split(": ")
    values = data["runs"].get(run, {}).get(key)
    return statistics.median(values) if values else None


def judge(goal, data):
    """(ours, libpcap's, the figure that is judged, word); None for what was not measured."""
    ours = median(data, goal["ours"])
    theirs = median(data, goal["theirs"]) if goal["theirs"] else None
    sense, figure = goal["sense"], None
    scale = UNITS[goal["unit"]]
    if sense == LIMIT:
        figure = ours / scale if ours is not None else None
    elif ours is not None and theirs is not None:
        above, below = (theirs, ours) if sense == LESS else (ours, theirs)
        # libpcap may reach no rate at all without a loss.
        figure = above / below if below > 0 else math.inf
    if figure is None:
        return ours, theirs, None, "not measured"

    def reaches(bound):
        return bound is not None and (figure <= bound if sense in (LIMIT, NEAR) else figure >= bound)

    if goal["floor"] is None:
        return ours, theirs, figure, ""
    word = "aim reached" if reaches(goal["aim"]) else "held" if reaches(goal["floor"]) else "floor missed"
    return ours, theirs, figure, word


def number(value):
    if value is None:
        return "-"
    if math.isinf(value):
        return "inf"
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def bound(goal, value):
    if value is None:
        return "-"
    if goal["sense"] == LIMIT:
        return f"<= {value:g} {goal['unit']}"
    return f"<= {value:g}x" if goal["sense"] == NEAR else f"{value:g}x"


HEAD = ["figure", "floor", "aim", "ours", "other", "ratio", "result"]


def table(data, old=None):
    """The rows as lists of strings, the head first."""
    rows = [HEAD + (["change"] if old else [])]
    for goal in ROWS:
        ours, theirs, figure, word = judge(goal, data)
        if ours is None and data["about"].get("only"):
            continue
        scale = UNITS[goal["unit"]]
        shown = [f"{number(value / scale)} {goal['unit']}" if value is not None else "-" for value in (ours, theirs)]
        ratio = f"{number(figure)}x" if figure is not None and goal["sense"] != LIMIT else "-"
        cells = [goal["text"], bound(goal, goal["floor"]), bound(goal, goal["aim"]), *shown, ratio, word]
        if old:
            before = judge(goal, old)[2]
            known = before and figure is not None and math.isfinite(before) and math.isfinite(figure)
            cells.append(f"{100 * (figure / before - 1):+.0f} %" if known else "-")
        rows.append(cells)
    for text in NOT_BUILT:
        rows.append([text] + ["-"] * 5 + ["not built"] + (["-"] if old else []))
    return rows


def aligned(rows):
    widths = [max(len(cells[i]) for cells in rows) for i in range(len(rows[0]))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(cells, widths)).rstrip() for cells in rows)


def markdown(rows):
    lines = ["| " + " | ".join(cells) + " |" for cells in rows]
    lines.insert(1, "|" + "---|" * len(rows[0]))
    return "\n".join(lines)


# ---- docs/wait-modes.md and .svg

BEGIN, END = "<!-- figures: written by benches/goals.py --doc -->", "<!-- end of figures -->"
INTRO = """# What the wait modes cost

What each value of `PFRING_WAIT` does is told in the [README](../README.md). These are the figures.
"""


def dots(data):
    """(name, p50 in microseconds, CPU in percent, ours) of each mode that was measured."""
    for name, run, ours in DOTS:
        p50, cpu = median(data, f"{run}: p50_ns"), median(data, f"{run}: cpu_percent")
        if p50 is not None and cpu is not None:
            yield name, p50 / 1e3, cpu, ours


WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 760, 440, 80, 170, 30, 60
STYLE = """text { font: 13px sans-serif; fill: #1f2328 }
.axis { stroke: #59636e } .grid { stroke: #d1d9e0 } .ours { fill: #0969da } .theirs { fill: #bc4c00 }
.lead { stroke: #8c959f }
@media (prefers-color-scheme: dark) {
text { fill: #f0f6fc } .axis { stroke: #9198a1 } .grid { stroke: #3d444d } .ours { fill: #4493f8 }
.theirs { fill: #f0883e } .lead { stroke: #656c76 }
}"""


def chart(data):
    """Latency on a logarithmic axis against CPU on a linear one."""
    points = sorted(dots(data), key=lambda dot: -dot[1])
    if not points:
        raise SystemExit("goals: no wake-up was measured")
    low = math.floor(math.log10(min(point[1] for point in points)))
    high = math.ceil(math.log10(max(point[1] for point in points)))
    high = max(high, low + 1)

    def x(cpu):
        return LEFT + (WIDTH - LEFT - RIGHT) * min(cpu, 100) / 100

    def y(us):
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (math.log10(us) - low) / (high - low)

    def text(at_x, at_y, words, anchor="middle", more=""):
        return f'<text x="{at_x:.0f}" y="{at_y:.0f}" text-anchor="{anchor}"{more}>{words}</text>'

    def line(kind, x1, y1, x2, y2):
        return f'<line class="{kind}" x1="{x1:.0f}" y1="{y1:.0f}" x2="{x2:.0f}" y2="{y2:.0f}"/>'

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
           'aria-label="Median latency against CPU of the wait modes at 50,000 packets a second">',
           f"<style>{STYLE}</style>"]
    for power in range(low, high + 1):
        us = 10.0 ** power
        label = f"{us / 1000:g} ms" if us >= 1000 else f"{us:g} µs"
        out += [line("grid", LEFT, y(us), x(100), y(us)), text(LEFT - 8, y(us) + 4, label, "end")]
    for cpu in range(0, 101, 20):
        out += [line("grid", x(cpu), TOP, x(cpu), HEIGHT - BOTTOM), text(x(cpu), HEIGHT - BOTTOM + 18, f"{cpu} %")]
    out += [line("axis", LEFT, HEIGHT - BOTTOM, x(100), HEIGHT - BOTTOM), line("axis", LEFT, TOP, LEFT, HEIGHT - BOTTOM),
            text((LEFT + x(100)) / 2, HEIGHT - 14, "CPU of the receiver at 50,000 packets a second"),
            text(18, HEIGHT / 2, "latency, median", more=f' transform="rotate(-90 18 {HEIGHT // 2})"')]
    taken = []
    # libpcap's dots are larger, so that one under ours is seen.
    for name, us, cpu, ours in sorted(points, key=lambda dot: dot[3]):
        # A label moves towards the middle until it is free of those that are near in both directions.
        label_y, step = y(us), 4 if y(us) < HEIGHT / 2 else -4
        def covers_a_dot():
            return any(abs(label_y - y(dot[1])) < 14 and 8 < x(dot[2]) - x(cpu) < 180 for dot in points)

        while covers_a_dot() or any(abs(label_y - other_y) < 17 and abs(x(cpu) - other_x) < 180
                                    for other_x, other_y in taken):
            label_y += step
        taken.append((x(cpu), label_y))
        if abs(label_y - y(us)) > 4:
            out.append(line("lead", x(cpu), y(us), x(cpu) + 12, label_y))
        out += [f'<circle class="{"ours" if ours else "theirs"}" cx="{x(cpu):.0f}" cy="{y(us):.0f}" r="{5 if ours else 7}"/>',
                text(x(cpu) + 14, label_y + 4, name, "start")]
    return "\n".join(out + ["</svg>"]) + "\n"


def figures_text(data):
    modes = [["mode at 50,000 packets a second", "latency p50", "CPU"]]
    modes += [[name, f"{number(us)} µs", f"{number(cpu)} %"] for name, us, cpu, _ in dots(data)]
    about = data["about"]
    return "\n\n".join([
        BEGIN,
        "![Median latency against CPU, one dot a mode](wait-modes.svg)",
        markdown(modes),
        "## Against libpcap",
        f"`make bench` on {about['date']}: {about['cpus']} CPUs, Linux {about['kernel']}, {about['libpcap']}; 60-byte\n"
        f"frames over a veth pair, medians of {about['rounds']} rounds in which the sides take turns. Ratios carry over to\n"
        "other machines, times do not.",
        markdown(table(data)),
        END])


def write_docs(data):
    """Replaces the part of the text between the two marks; makes the file if it is not there."""
    path = DOCS / "wait-modes.md"
    old = path.read_text() if path.exists() else f"{INTRO}\n{BEGIN}\n{END}\n"
    if BEGIN not in old or END not in old:
        raise SystemExit(f"goals: {path} has no place for figures: a line {BEGIN} and a line {END}")
    path.write_text(old[:old.index(BEGIN)] + figures_text(data) + old[old.index(END) + len(END):])
    (DOCS / "wait-modes.svg").write_text(chart(data))


def libpcap_version():
    try:
        out = subprocess.run(["pcap-config", "--version"], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return "libpcap"
    return f"libpcap {out.strip()}"


def cpu_ticks():
    """(all, taken away by the host) since the start of the machine."""
    ticks = [int(word) for word in Path("/proc/stat").read_text().split("\n", maxsplit=1)[0].split()[1:9]]
    return sum(ticks), ticks[7]


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--json", metavar="FILE", help="write all figures of all rounds to FILE")
    parser.add_argument("--against", metavar="OLD.json", help="print how each row changed since an earlier --json")
    parser.add_argument("--rounds", type=int, help=f"rounds, {ROUNDS} unless given")
    parser.add_argument("--only", metavar="WORDS", default="", help="only the runs that begin so: walk, \"wake ours\"")
    parser.add_argument("--quick", action="store_true", help="one short round: do the programs work?")
    parser.add_argument("--show", metavar="FILE", help="measure nothing: print the table of an earlier --json")
    parser.add_argument("--doc", metavar="FILE", help="measure nothing: write docs/wait-modes.* from an earlier --json")
    parser.add_argument("--programs", metavar="DIR", type=Path, default=HERE.parent / "build" / "bench",
                        help="where the programs are (default: build/bench)")
    options = parser.parse_args()
    if options.doc:
        write_docs(load(options.doc))
        return 0
    old = load(options.against) if options.against else None
    if options.show:
        print(aligned(table(load(options.show), old)))
        return 0
    rounds = options.rounds or (QUICK_ROUNDS if options.quick else ROUNDS)
    begin, ticks = time.monotonic(), cpu_ticks()
    results = measure(options.programs, rounds, QUICK_LENGTHS if options.quick else LENGTHS, options.only)
    all_ticks, stolen = (after - before for before, after in zip(ticks, cpu_ticks()))
    about = {"date": time.strftime("%Y-%m-%d"), "kernel": platform.release().split("-")[0], "cpus": os.cpu_count(),
             "libpcap": libpcap_version(), "only": options.only, "rounds": rounds,
             "seconds": round(time.monotonic() - begin), "load": os.getloadavg()[0],
             "stolen_percent": round(100 * stolen / max(all_ticks, 1), 1)}
    data = {"about": about, "runs": results}
    if options.json:
        Path(options.json).write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    print(aligned(table(data, old)))
    print(f"\n{rounds} rounds in {about['seconds']} s, Linux {about['kernel']}, {about['libpcap']}; "
          f"load {about['load']:.1f}, {about['stolen_percent']} % of the CPU time taken by the host")
    return 0 if results else 1


if __name__ == "__main__":
    sys.exit(main())
