"""Rows of the table of ratios: their contents, measurement and targets."""

import operator
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

import timing

COLUMNS = {
    "job": 42, "size": 11, "peer": 31, "ratio": 16, "target": 8, "met": 4, "unit": 10,
    "ours": 9, "theirs": 9, "MB": 7, "their MB": 8,
}  # fmt: skip
HEADER = {name: name for name in COLUMNS}
CPU = {"cpu ms": ""}
ONE_THREAD = {"units": CPU, "threads": 1}
# Milliseconds of calls: their memory stands beside them.
TIMES = timing.CLOCKS.keys()
# Seconds: calls take turns for so long; and three times, unless one turn takes longer.
BUDGET, LONG = 4, 20


@dataclass(frozen=True)
class Peer:
    name: str
    # A function of the job's data. A peer that cannot be imported is left out.
    call: Callable[..., Any] | str
    # Of the ratio: ">= 10", at least ten times faster; "<= 3", at most three times.
    # Or a function of the size that returns it.
    target: str | Callable[[int], str] = ""
    # The part of the work that the call does, by the size; its time is scaled.
    share: Callable[[int], float] = lambda size: 1
    # A function of the job's data that must return what the call does, about.
    equals: Callable[..., float] | None = None
    rtol: float = 1e-9
    # It is left out of larger sizes.
    most: float = np.inf
    # Whether its memory is Python's or numpy's, which can be traced.
    is_traced: bool = True

    def target_at(self, size):
        return self.target if isinstance(self.target, str) else self.target(size)


@dataclass(frozen=True)
class Job:
    name: str
    sizes: Sequence[int]
    # A function of the size that returns the arguments of all calls. Where it is text,
    # so are the calls: statements, run in fresh processes after this set-up.
    data: Callable[[int], Any] | str
    ours: Callable[..., Any] | str
    peers: Sequence[Peer] = ()
    # What is measured, and targets of our own: "wall ms", "cpu ms" (of all threads),
    # "traced MB" of a call, "process MB" of a process of its own, the "result".
    units: dict[str, str] = field(default_factory=lambda: {"wall ms": ""})
    short: int = 1_000
    threads: int | None = None
    # Sizes that are measured only where it is asked for.
    large: Sequence[int] = ()

    @property
    def is_traced(self):
        return bool(TIMES & self.units.keys()) and "process MB" not in self.units


def rows(job, size, apart, *, is_short):
    """Yield the rows of a job at one size.

    ``apart`` returns what the process of a job holds before a call and at the most.
    """
    found, megabytes, peers = {}, [], []
    with threadpool_limits(1 if is_short else job.threads):
        if isinstance(job.ours, str):
            found, peers = in_fresh_processes(job, size, is_short), job.peers
        elif set(job.units) != {"process MB"}:
            found, megabytes, peers = in_turns(job, size, is_short)
    for peer in job.peers:
        if peer not in peers and size <= peer.most:
            yield {"peer": peer.name, "met": "not installed"}
    for unit, target in job.units.items():
        if unit == "process MB":
            before, peak = apart()
            row = judged(unit, peak, target, "before the call")
            yield row | {"theirs": digits(before)}
            continue
        ours, *theirs = found[unit]
        beside = dict(zip([None, *peers], megabytes, strict=False))
        our_texts = {"MB": digits(beside.get(None))} if unit in TIMES else {}
        if target or not theirs:
            yield judged(unit, ours, target) | our_texts
        for peer, value in zip(peers, theirs, strict=True):
            value /= peer.share(size)
            row = judged(unit, ours, peer.target_at(size), peer.name, value)
            yield row | our_texts | {"their MB": digits(beside.get(peer))}
            our_texts = {}


def in_fresh_processes(job, size, is_short):
    statements = [job.ours, *(peer.call for peer in job.peers)]
    turns = 0 if is_short else 7
    setup = job.data.format(size)
    return {"wall ms": timing.fresh_milliseconds(setup, statements, turns)}


def in_turns(job, size, is_short):
    """Return {unit: values of ours and the peers}, megabytes, and the peers there are.

    All are called once at the short size, which imports what they need; once to see
    what they return and hold; and then in turns.
    """
    data = job.data(job.short)
    peers, results, megabytes = [], [job.ours(*data)], []
    for peer in job.peers:
        if size <= peer.most:
            try:
                results.append(peer.call(*data))
            except ImportError:
                continue
            peers.append(peer)
    data, start = data if is_short else job.data(size), time.perf_counter()
    calls = [partial(each, *data) for each in (job.ours, *(p.call for p in peers))]
    if not is_short:
        traced = [job.is_traced, *(job.is_traced and peer.is_traced for peer in peers)]
        first = [
            timing.traced(call) if is_traced else (call(), None)
            for call, is_traced in zip(calls, traced, strict=True)
        ]
        results, megabytes = zip(*first, strict=True)
    for peer, result in zip(peers, results[1:], strict=True):
        if peer.equals:
            np.testing.assert_allclose(result, peer.equals(*data), rtol=peer.rtol)
    found = {"result": results}
    if TIMES & job.units.keys():
        budget = 0 if is_short else BUDGET
        is_long = is_short or time.perf_counter() - start > LONG
        found |= timing.milliseconds(calls, budget=budget, least=1 if is_long else 3)
    if "traced MB" in job.units:
        found["traced MB"] = [timing.traced(call)[1] for call in calls]
    return found, megabytes, peers


def judged(unit, ours, target, peer="", theirs=None):
    """Return the texts of a row whose target is of the ratio, or else of ours."""
    direction, _, limit = target.partition(" ")
    ratio = None
    if theirs:
        ratio = ours / theirs if direction == "<=" else theirs / ours
    texts = {"unit": unit, "ours": digits(ours), "peer": peer}
    # Which way it goes is said beside it, as not every ratio has a target.
    way = " of theirs" if ratio is not None and direction == "<=" else ""
    texts |= {"theirs": digits(theirs), "ratio": digits(ratio) + way}
    if limit:
        holds = {">=": operator.ge, "<=": operator.le}[direction]
        met = holds(ours if ratio is None else ratio, float(limit))
        texts |= {"target": target, "met": "yes" if met else "NO"}
    return texts


def digits(value):
    if value is None:
        return ""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def plain_line(row):
    widths = COLUMNS.items()
    return " ".join(f"{row.get(name, ''):{width}}" for name, width in widths).rstrip()
