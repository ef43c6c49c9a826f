"""The figure and the table of docs/performance.md.

    python benchmarks/speed.py [--short]

All calls of a job take turns, and a time is the best of 5 or more. Everything is
measured with numpy's sort by SIMD and, in a process of its own, without it. ``--short``
measures small sizes and writes nothing. Packages that are not installed are left out.
"""

import argparse
import csv
import os
import platform
import re
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np
from sklearn import metrics

import common
import peers
import skrate
import timing

DOCS = Path(__file__).resolve().parents[1] / "docs"
PAGE, STATIC = DOCS / "performance.md", DOCS / "_static"
MARKS = "<!-- rows -->\n", "<!-- end of rows -->\n"
SIZES = [10**3, 10**4, 10**5, 10**6]
TURNS = 5
# Loops take a part of the resamples and lists; their time is scaled.
N_RESAMPLES, N_LISTS = 2_000, 50_000
PACKAGES = (
    *("scikit-rate", "numpy", "scipy", "scikit-learn"),
    *("scors", "rapidstats", "polars", "polars-ds", "MLstatkit"),
)
# numpy's names of these instructions, of releases before and since 2.4.
SIMD = ("AVX2", "AVX512F", "AVX512_SKX", "X86_V3", "X86_V4", "AVX512_ICL", "AVX512_SPR")


def scors_function(name: str) -> Callable[..., float]:
    import scors

    return lambda y, s, w=None: getattr(scors, name)(y, s, w)


def rapidstats_function(name: str) -> Callable[..., float]:
    import rapidstats

    return getattr(rapidstats.metrics, name)


def polars_ds_auc() -> Callable[..., float]:
    import polars
    import polars_ds

    auc = polars_ds.query_roc_auc("y", "s")
    return lambda y, s: polars.DataFrame({"y": y, "s": s}).select(auc).item()


def mlstatkit_test() -> Callable[..., object]:
    import MLstatkit  # noqa: F401

    return peers.mlstatkit_delong


AUC, AP = metrics.roc_auc_score, metrics.average_precision_score
RUST_AUC = {
    "scors": partial(scors_function, "roc_auc"),
    "rapidstats": partial(rapidstats_function, "roc_auc"),
    "polars-ds": polars_ds_auc,
}
RUST_AP = {
    "scors": partial(scors_function, "average_precision"),
    "rapidstats": partial(rapidstats_function, "average_precision"),
}


def series():
    """Yield (name in the figure, our call, other packages) of metrics by size."""
    yield "AUC", skrate.ranking_auc_score, {"scikit-learn": lambda: AUC, **RUST_AUC}
    yield "rate-weighted AUC", common.rauc, {"scikit-learn": lambda: AUC}
    yield (
        "average precision",
        skrate.average_precision_score,
        {"scikit-learn": lambda: AP, **RUST_AP},
    )
    yield "estimate", partial(skrate.estimate, "roc_auc"), {}


def measure(is_short):
    """Yield one row per job, size and package: its time in milliseconds."""
    for size in SIZES[:1] if is_short else SIZES:
        data = common.labelled_scores(size, 0.1)
        for job, ours, others in series():
            yield from measure_job(job, size, data, ours, others)
        y_true, two = common.labelled_scores(size, 0.1, n_models=2)
        ours = partial(skrate.compare, "roc_auc")
        models = y_true, *two.T
        others = {"MLstatkit": mlstatkit_test} if size < 10**6 else {}
        yield from measure_job("compare", size, models, ours, others)
    size = SIZES[0] if is_short else 10**6
    y_true, y_score = common.labelled_scores(size, 0.1)
    weight = np.random.default_rng(1).integers(1, 5, size).astype(float)
    ours = lambda y, s, w: skrate.average_precision_score(y, s, sample_weight=w)  # noqa: E731
    theirs = lambda y, s, w: AP(y, s, sample_weight=w)  # noqa: E731
    others = {"scikit-learn": lambda: theirs, "scors": RUST_AP["scors"]}
    data = y_true, y_score, weight
    yield from measure_job("average precision, weights", size, data, ours, others)
    ours = partial(skrate.budget_report, rate=common.RATE, n_items=5_000)
    yield from measure_job("budget_report", size, (y_true, y_score), ours, {})
    size = SIZES[0] if is_short else 10**4
    data = common.labelled_scores(size, 0.3)
    options = {"method": "bootstrap", "n_resamples": N_RESAMPLES, "random_state": 0}
    ours = partial(skrate.estimate, "roc_auc", **options)
    loop = partial(peers.bootstrap_loop, AUC)
    others = {"loop over roc_auc_score": lambda: loop}
    part = peers.FEW_RESAMPLES / N_RESAMPLES
    yield from measure_job("bootstrap of the AUC", size, data, ours, others, part)
    n_lists = SIZES[0] if is_short else N_LISTS
    y_true, y_score = common.labelled_scores(20 * n_lists, 0.3)
    data = y_true, y_score, np.repeat(np.arange(n_lists), 20)
    ours = lambda y, s, g: skrate.ranking_auc_score(y, s, groups=g, undefined=0.5)  # noqa: E731
    others = {"loop over roc_auc_score": lambda: lambda y, s, g: peers.list_loop(y, s)}
    part = min(1, peers.FEW_LISTS / n_lists)
    yield from measure_job(
        "AUC within lists of 20", len(y_true), data, ours, others, part
    )


def measure_job(job, size, data, ours, others, part=1):
    """Yield the best times of our call and of the other packages, which take turns."""
    calls = {"skrate": ours}
    for package, find in others.items():
        with suppress(ImportError):
            calls[package] = find()
    bound = [partial(call, *data) for call in calls.values()]
    # The first turn fills caches.
    best = timing.milliseconds(bound, budget=0.2, least=TURNS, summary=min)["wall ms"]
    for package, time in zip(calls, best, strict=True):
        scale = 1 if package == "skrate" else part
        yield {
            "job": job,
            "samples": size,
            "package": package,
            "milliseconds": float(f"{time / scale:.3g}"),
        }


def measure_both(is_short):
    """Return the rows with and without SIMD, each measured in a process of its own."""
    rows = []
    for sort, disabled in (("SIMD", ""), ("no SIMD", " ".join(SIMD))):
        environment = os.environ | {
            **{"NPY_DISABLE_CPU_FEATURES": disabled, "OMP_NUM_THREADS": "1"},
            **{"POLARS_MAX_THREADS": "1", "RAYON_NUM_THREADS": "1"},
        }
        options = ["--rows", *(["--short"] if is_short else [])]
        command = [sys.executable, "-W", "ignore", __file__, *options]
        text = subprocess.check_output(command, env=environment, text=True)
        rows += [{"sort": sort, **row} for row in csv.DictReader(text.splitlines())]
    return rows


def find_time(rows, sort, job, size, package):
    for row in rows:
        wanted = {"sort": sort, "job": job, "samples": str(size), "package": package}
        if wanted.items() <= row.items():
            return float(row["milliseconds"])
    return np.nan


# Rows of the table: job, size, and the package beside which the ratio is.
TABLE = (
    ("AUC", 10**6, "scikit-learn"),
    ("AUC", 10**6, "scors"),
    ("rate-weighted AUC", 10**5, "scikit-learn"),
    ("rate-weighted AUC", 10**6, "scikit-learn"),
    ("average precision", 10**6, "scikit-learn"),
    ("average precision", 10**6, "scors"),
    ("average precision, weights", 10**6, "scikit-learn"),
    ("bootstrap of the AUC", 10**4, "loop over roc_auc_score"),
    ("AUC within lists of 20", 10**6, "loop over roc_auc_score"),
    ("compare", 10**5, "MLstatkit"),
)


def write_table(rows):
    """Return ten rows in Markdown."""
    lines = [
        "| result | samples | beside | times faster | without SIMD | milliseconds |",
        "|---|---|---|---|---|---|",
    ]
    for job, size, package in TABLE:
        ours, theirs = (
            np.array(
                [find_time(rows, sort, job, size, p) for sort in ("SIMD", "no SIMD")]
            )
            for p in ("skrate", package)
        )
        ratios = [
            f"{ratio:.3g}" if ratio < 100 else f"{ratio:,.0f}"
            for ratio in theirs / ours
        ]
        cells = job, f"{size:,}", package, *ratios, f"{ours[0]:.3g}"
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def draw(rows):
    """Draw time against samples, one panel for each result."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    jobs = ["AUC", "rate-weighted AUC", "average precision", "estimate", "compare"]
    packages = [
        "skrate",
        "scikit-learn",
        "scors",
        "rapidstats",
        "polars-ds",
        "MLstatkit",
    ]
    figure, axes = plt.subplots(2, 3, figsize=(9, 5.6), sharex=True, sharey=True)
    for ax, job in zip(axes.flat, jobs, strict=False):
        for i, package in enumerate(packages):
            for sort, style in (("SIMD", "-"), ("no SIMD", ":")):
                times = [find_time(rows, sort, job, size, package) for size in SIZES]
                if np.isfinite(times).any() and (sort == "SIMD" or package == "skrate"):
                    label = package if sort == "SIMD" else "skrate, no SIMD"
                    ax.loglog(
                        SIZES, times, style, color=f"C{i}", marker=".", label=label
                    )
        ax.set_title("estimate (AUC)" if job == "estimate" else job, fontsize=10)
        ax.grid(alpha=0.3)
    axes[0, 0].set_ylabel("milliseconds")
    axes[1, 0].set_ylabel("milliseconds")
    for ax in axes[1]:
        ax.set_xlabel("samples")
    axes[1, 1].set_title("compare (two AUCs)", fontsize=10)
    entries = {}
    for ax in axes.flat:
        entries |= dict(zip(*ax.get_legend_handles_labels()[::-1], strict=True))
    axes[1, 2].axis("off")
    axes[1, 2].legend(entries.values(), entries.keys(), loc="center")
    figure.tight_layout()
    figure.savefig(STATIC / "speed.png", dpi=120)


def describe_machine():
    """Return the processor and the versions."""
    info = Path("/proc/cpuinfo")
    text = info.read_text(encoding="utf-8") if info.exists() else ""
    name = re.search(r"model name\s*: (.*)", text)
    versions = []
    for package in PACKAGES:
        with suppress(PackageNotFoundError):
            versions.append(f"{package} {version(package)}")
    processor = name[1] if name else platform.machine()
    return (
        f"Measured on one core of {processor}, {platform.system()}, with Python "
        f"{platform.python_version()}, {', '.join(versions)}.\n"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--short", action="store_true")
    parser.add_argument(
        "--rows", action="store_true", help="print rows of this process"
    )
    options = parser.parse_args()
    if options.rows:
        fields = ["job", "samples", "package", "milliseconds"]
        writer = csv.DictWriter(sys.stdout, fields)
        writer.writeheader()
        writer.writerows(measure(options.short))
        return
    rows = measure_both(options.short)
    if options.short:
        print(*rows, sep="\n")
        return
    with (STATIC / "speed.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    draw(rows)
    text = PAGE.read_text(encoding="utf-8")
    before, rest = text.split(MARKS[0])
    after = rest.split(MARKS[1])[1]
    table = f"{MARKS[0]}\n{write_table(rows)}\n\n{describe_machine()}\n{MARKS[1]}"
    PAGE.write_text(before + table + after, encoding="utf-8")


if __name__ == "__main__":
    main()
