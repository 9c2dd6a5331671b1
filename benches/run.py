#!/usr/bin/env python3
"""Figures against libpcap: both sides in turn, many times, medians and ratios.

    run.py BENCH_DIR [--rounds N] [--json FILE] [--against FILE]

Each program in BENCH_DIR measures one side once, in a network namespace of its own (root), and prints
"name value" lines. A missed floor is told, and is no error; a program that fails is.
"""
import argparse
import json
import statistics
import subprocess
import sys

# One row: what it is, our run, the other's run, the figure that both print, floor and aim of the ratio
# other / ours (None: for information).
ROWS = [
    ("pfring_recv, zero copy, vs pcap_next_ex", "recv warm", "next_ex warm", "ns_per_packet", 2.5, 3.3),
    ("pfring_recv, zero copy, vs pcap_dispatch", "recv warm", "dispatch warm", "ns_per_packet", 1.3, 1.65),
    ("  the reader looks at 16 bytes, vs next_ex", "recv-touch warm", "next_ex-touch warm", "ns_per_packet", None, None),
    ("  a ring of 64 MiB, out of the cache, vs next_ex", "recv cold", "next_ex cold", "ns_per_packet", None, None),
    ("pfring_loop vs pcap_dispatch", "loop warm", "dispatch warm", "ns_per_packet", None, None),
    ("pfring_recv_burst vs pcap_dispatch", "burst warm", "dispatch warm", "ns_per_packet", None, None),
    ("pfring_recv, long header, vs next_ex", "recv-long warm", "next_ex warm", "ns_per_packet", None, None),
]


def measure(folder, run):
    """Runs one side once: its figures by name."""
    command = [f"{folder}/walk", *run.split()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stderr.strip() or done.returncode}")
    return {name: float(value) for name, value in (line.split() for line in done.stdout.splitlines())}


def verdict(ratio, floor, aim):
    if floor is None:
        return ""
    if ratio >= aim:
        return "aim reached"
    return "held" if ratio >= floor else "FLOOR MISSED"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--json")
    parser.add_argument("--against")
    args = parser.parse_args()

    runs = sorted({run for row in ROWS for run in row[1:3]})
    seen = {run: [] for run in runs}
    for _ in range(args.rounds):
        for run in runs:
            seen[run].append(measure(args.folder, run))

    old = {}
    if args.against:
        with open(args.against, encoding="utf-8") as file:
            old = json.load(file)
    results = {}
    print(f"user-space walk of a full ring, 60-byte frames, medians of {args.rounds} interleaved rounds")
    print(f"{'figure':<52}{'ours':>9}{'other':>9}{'ratio':>8}{'floor':>7}{'aim':>6}")
    for name, ours, other, figure, floor, aim in ROWS:
        mine = [result[figure] for result in seen[ours]]
        its = [result[figure] for result in seen[other]]
        ratio = statistics.median(b / a for a, b in zip(mine, its))
        a, b = statistics.median(mine), statistics.median(its)
        results[name.strip()] = {"ours": a, "other": b, "ratio": ratio}
        bounds = "".join(f"{bound:>{width}}" if bound else " " * width for bound, width in ((floor, 7), (aim, 6)))
        line = f"{name:<52}{a:>6.1f} ns{b:>6.1f} ns{ratio:>7.2f}x{bounds}  {verdict(ratio, floor, aim)}"
        before = old.get(name.strip())
        if before:
            line += f"  (ratio was {before['ratio']:.2f}x)"
        print(line.rstrip())
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=1)
            file.write("\n")


if __name__ == "__main__":
    main()
