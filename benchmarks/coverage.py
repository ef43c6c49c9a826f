"""Coverage of 95 % intervals over a grid of settings, and a figure for the guide.

    python benchmarks/coverage.py [--simulations 500] [--short] [--methods wilson ...]
                                  [--results FILE] [--figure FILE]

Prints for each metric and kind of interval the least coverage, the share of settings
below 0.90 and the median width, separately for settings that expect at least six
positives and fewer. ``--short`` takes a tenth of the settings. ``--results`` saves the
results in a file, and reads the file if it exists. Difficult designs are in
``inference_levels.py``.
"""

import argparse
import json
import sys
from collections.abc import Iterable
from itertools import product
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from simulated_intervals import (
    AUCS,
    INTERVALS,
    LAWS,
    METRICS,
    SETTINGS,
    SHAPES,
    Coverage,
    Setting,
    coverage,
)

ENOUGH = 6


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--simulations", type=int, default=500)
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--methods", nargs="*", default=list(INTERVALS))
    parser.add_argument("--results", type=Path)
    parser.add_argument("--figure", type=Path)
    parser.add_argument("--jobs", type=int, default=-1)
    options = parser.parse_args()
    if options.results and options.results.exists():
        found = read(options.results)
    else:
        settings = SETTINGS[::10] if options.short else SETTINGS
        found = simulate(settings, options.simulations, options.methods, options.jobs)
        if options.results:
            write(found, options.results)
    print_summary(found)
    if options.figure:
        draw_figure(found, options.figure)


def simulate(settings, n_simulations, kinds, n_jobs=-1):
    """Return the coverage by setting, metric and kind."""
    each = Parallel(n_jobs=n_jobs, verbose=1)(
        delayed(coverage)(setting, n_simulations, tuple(kinds)) for setting in settings
    )
    return {
        (setting, *key): result
        for setting, results in zip(settings, each, strict=True)
        for key, result in results.items()
    }


def write(found, path):
    rows = [[*setting, *key, *result] for (setting, *key), result in found.items()]
    path.write_text(json.dumps(rows))


def read(path):
    found = {}
    for *setting, metric, kind, covered, above, width in json.loads(path.read_text()):
        found[Setting(*setting), metric, kind] = Coverage(covered, above, width)
    return found


def print_summary(found):
    kinds = list(dict.fromkeys(kind for _, _, kind in found))
    print(
        f"{'metric':29} {'interval':14} {'positives':10} settings  least  <0.90  width"
    )
    for metric, kind, is_enough in product(METRICS, kinds, (True, False)):
        results = [
            result
            for (setting, *key), result in found.items()
            if key == [metric, kind] and expects_enough(setting) == is_enough
        ]
        if not results:
            continue
        covered = np.array([result.covered for result in results])
        width = np.median([result.width for result in results])
        positives = f"{'>=' if is_enough else '<'} {ENOUGH}"
        print(
            f"{metric:29} {kind:14} {positives:10} {len(results):8} "
            f"{covered.min():6.3f} {np.mean(covered < 0.9):6.3f} {width:6.3f}"
        )
    for metric in METRICS:
        print(f"\n{metric}, wilson, the least:")
        for covered, setting in worst(found, metric):
            print(f"  {covered:.3f}  {setting}")


def worst(found, metric) -> Iterable[tuple[float, Setting]]:
    """Return the settings of least coverage by default."""
    covered = [
        (result.covered, setting)
        for (setting, *key), result in found.items()
        if key == [metric, "wilson"]
    ]
    return sorted(covered)[:5]


def expects_enough(setting):
    return setting.n * setting.prevalence >= ENOUGH - 1e-9


def draw_figure(found, path):
    """Draw a heat map per metric and kind: distributions by sizes and prevalences."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt
    from matplotlib.colors import BoundaryNorm, ListedColormap

    kinds = list(dict.fromkeys(kind for _, _, kind in found))
    # From much too low to too high; what is near 0.95 is pale.
    colors = [
        "#67001f",
        "#b2182b",
        "#ef8a62",
        "#fddbc7",
        "#f7f7f7",
        "#d1e5f0",
        "#67a9cf",
    ]
    edges = [0, 0.7, 0.8, 0.86, 0.90, 0.93, 0.97, 1.0001]
    norm, colormap = BoundaryNorm(edges, len(colors)), ListedColormap(colors)
    fig, axes = plt.subplots(
        len(METRICS), len(kinds), figsize=(4 * len(kinds), 3.1 * len(METRICS)),
        layout="constrained", sharex=True, sharey=True, squeeze=False,
    )  # fmt: skip
    # By the positives that are expected.
    shapes = sorted(SHAPES, key=lambda shape: (shape[0] * shape[1], shape[0]))
    rows = list(product(LAWS, AUCS))
    for (metric, kind), ax in zip(product(METRICS, kinds), axes.flat, strict=True):
        values = [
            [
                getattr(found.get((Setting(*row, *s), metric, kind)), "covered", np.nan)
                for s in shapes
            ]
            for row in rows
        ]
        image = ax.imshow(values, norm=norm, cmap=colormap, aspect="auto")
        n_few = sum(not expects_enough(Setting("", 0, *shape)) for shape in shapes)
        ax.axvline(n_few - 0.5, color="black", linewidth=0.8, linestyle="--")
        for place in range(len(AUCS), len(rows), len(AUCS)):
            ax.axhline(place - 0.5, color="black", linewidth=0.8)
        ax.set_title(f"{metric}: {kind}", fontsize=10)
        ax.set_yticks(
            range(len(rows)), [f"{distribution}, {auc:g}" for distribution, auc in rows]
        )
        ax.set_xticks(range(len(shapes)), [f"{n}, {p:g}" for n, p in shapes])
        ax.tick_params(axis="x", rotation=90, labelsize=6)
        ax.tick_params(axis="y", labelsize=6)
    bar = fig.colorbar(image, ax=axes, shrink=0.3, ticks=edges[:-1])
    bar.set_label("coverage of 95 % intervals")
    fig.supylabel("distribution of the scores, AUC", fontsize=10)
    fig.supxlabel("cases, prevalence, by expected positives (dashed: six)", fontsize=10)
    fig.savefig(path, dpi=90)


if __name__ == "__main__":
    main()
