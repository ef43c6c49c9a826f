"""Coverage of 95 % bounds of consensus curves, and a figure for the guide.

    python benchmarks/coverage_folds.py [--simulations 300] [--short]
                                        [--results FILE] [--figure FILE]

For each setting (folds of two normal classes) and method prints how often the bounds
cover the population's consensus, rate by rate ("at") and at all rates ("whole"), how
often they contain the sample's curve, and their mean width at these rates. ``--short``
takes a tenth of the simulations. ``--results`` saves the results in a file, and reads
the file if it exists.
"""

import argparse
import json
import sys
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from simulated_folds import RATES, SETTINGS, SHOWN, Coverage, coverage

PLACES = np.searchsorted(RATES, SHOWN)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--simulations", type=int, default=300)
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--results", type=Path)
    parser.add_argument("--figure", type=Path)
    parser.add_argument("--jobs", type=int, default=-1)
    options = parser.parse_args()
    if options.results and options.results.exists():
        found = read(options.results)
    else:
        n_simulations = options.simulations // (10 if options.short else 1)
        found = simulate(max(n_simulations, 1), options.jobs)
        if options.results:
            write(found, options.results)
    print_table(found)
    if options.figure:
        draw_figure(found, options.figure)


def simulate(n_simulations, n_jobs=-1):
    """Return the coverage by the name of the setting, the bounds and the band."""
    each = Parallel(n_jobs=n_jobs, verbose=1)(
        delayed(coverage)(setting, n_simulations) for setting in SETTINGS.values()
    )
    return {
        (name, *kind): result
        for name, results in zip(SETTINGS, each, strict=True)
        for kind, result in results.items()
    }


def write(found, path):
    path.write_text(json.dumps([[*key, *result] for key, result in found.items()]))


def read(path):
    return {
        tuple(key): Coverage(*result)
        for *key, result in (
            (*row[:3], row[3:]) for row in json.loads(path.read_text())
        )
    }


def print_table(found):
    rates = "".join(f"{rate:6g}" for rate in SHOWN)
    last = None
    for (name, bounds, band), result in found.items():
        if name != last:
            print(f"\n{name}\n{'at':19}{rates}   whole   own   width")
            last = name
        title = bounds if band == "pointwise" else f"{bounds}, band"
        covered = "".join(f"{result.covered[place]:6.2f}" for place in PLACES)
        width = np.mean([result.width[place] for place in PLACES])
        print(
            f"{title:19}{covered}{result.whole:8.2f}{result.own:6.2f}{width:8.3f}",
            flush=True,
        )


def draw_figure(found, path):
    """Draw the coverage against the rate, a panel for each setting."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    names = list(dict.fromkeys(name for name, *_ in found))
    fig, axes = plt.subplots(
        -(-len(names) // 2), 2, figsize=(10, 2.3 * -(-len(names) // 2)),
        layout="constrained", sharex=True, sharey=True, squeeze=False,
    )  # fmt: skip
    styles = {
        ("exact", "pointwise"): {"color": "C0", "linewidth": 2},
        ("parametric", "pointwise"): {"color": "C1"},
        ("bootstrap", "pointwise"): {"color": "C2", "linestyle": "--"},
        ("normal", "pointwise"): {"color": "0.6"},
    }
    for name, ax in zip(names, axes.flat, strict=False):
        ax.axhline(0.95, color="k", linewidth=0.6)
        for kind, style in styles.items():
            if (name, *kind) in found:
                # At both ends the curve is known.
                covered = found[name, *kind].covered[1:-1]
                ax.plot(RATES[1:-1], covered, label=f'"{kind[0]}"', **style)
        band = found[name, "exact", "simultaneous"]
        ax.set_title(f"{name} (band: {band.whole:.2f})", fontsize=9)
    axes[0, 0].set(ylim=(0.5, 1.01), xlim=(0, 1))
    axes[0, 0].legend(loc="lower center", ncols=2, fontsize=8)
    fig.supxlabel("rate", fontsize=10)
    fig.supylabel(
        "share of samples whose bounds cover the population's recall", fontsize=10
    )
    fig.savefig(path, dpi=75)


if __name__ == "__main__":
    main()
