"""One timer: milliseconds of calls that take turns, and megabytes at the peak.

Calls that take turns are compared fairly, whatever else the machine does meanwhile.
Events that happen once in a process (an import, a first call) are timed in fresh
processes.
"""

import os
import re
import statistics
import subprocess
import sys
import time
import tracemalloc
from pathlib import Path

CLOCKS = {"wall ms": time.perf_counter, "cpu ms": time.process_time}


def milliseconds(calls, *, budget=4.0, least=3, most=301, summary=statistics.median):
    """Return the median time of each call, by the wall clock and of all processors.

    ``summary`` can be another function of the times of a call, such as ``min``.

    The calls take turns until ``budget`` seconds are spent, at least ``least`` and at
    most ``most`` times. Call each once before, which fills caches.
    """
    times = {clock: [[] for _ in calls] for clock in CLOCKS}
    end = time.perf_counter() + budget
    for turn in range(most):
        if turn >= least and time.perf_counter() > end:
            break
        for place, call in enumerate(calls):
            starts = [clock() for clock in CLOCKS.values()]
            call()
            ends = [clock() for clock in CLOCKS.values()]
            for clock, start, stop in zip(CLOCKS, starts, ends, strict=True):
                times[clock][place].append(1e3 * (stop - start))
    return {clock: [*map(summary, found)] for clock, found in times.items()}


def fresh_milliseconds(setup, statements, turns):
    """Return the median time of each statement, each time in a fresh process.

    A first turn, which compiles the modules, comes before the others.
    """
    start = "import time\nstart = time.perf_counter()"
    end = "print(time.perf_counter() - start)"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    times = [[] for _ in statements]
    for _ in range(1 + turns):
        for statement, found in zip(statements, times, strict=True):
            program = f"{setup}\n{start}\n{statement}\n{end}"
            command = [sys.executable, "-c", program]
            printed = subprocess.check_output(command, env=environment, text=True)
            found.append(1e3 * float(printed))
    return [statistics.median(found[1:] or found) for found in times]


def traced(call):
    """Return a call's result, and the megabytes that it takes at the most.

    What Python and numpy hold beyond what they held before, and no other library.
    """
    tracemalloc.start()
    try:
        return call(), tracemalloc.get_traced_memory()[1] / 1e6
    finally:
        tracemalloc.stop()


def process_megabytes():
    """Return the most that this process has held so far, imports included."""
    status = Path("/proc/self/status")
    if status.exists():
        # On Linux ru_maxrss starts at what the parent held when it started this one.
        return int(re.search(r"VmHWM:\s*(\d+)", status.read_text())[1]) * 1024 / 1e6
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
