"""Draw the pictures of the front page and of the README, of two crossing curves.

    python docs/front_picture.py docs/_static

The first is in two halves, which a page sets side by side, or one below the other on a
phone. The second is a photograph of the report from the command line. It needs
Chromium.
"""

import sys
import tempfile
from pathlib import Path

import matplotlib as mpl
import numpy as np

mpl.use("Agg")

import matplotlib.pyplot as plt
from screenshots import photograph

from skrate import compare_curves, hit_curve, rates, recall_at_rate_score
from skrate.__main__ import main
from skrate.displays.drawing import COLORS

COLOURS = dict(zip("AB", COLORS, strict=False))
STYLES = {"A": "-", "B": "--"}
SIZE = (5, 3.7)


def two_models(n_samples=6_000):
    """Return labels and the scores of both models, as in the gallery's example."""
    rng = np.random.default_rng(0)
    y_true = rng.random(n_samples) < 0.1
    shared, of_a, of_b = rng.normal(size=(3, n_samples)) * [[0.6], [0.8], [0.8]]
    model_a = shared + of_a + np.where(y_true & (rng.random(n_samples) < 0.6), 3.0, 0.0)
    return y_true, {"A": model_a, "B": shared + of_b + 1.4 * y_true}


def draw(folder):
    """Draw both curves with the budget, and their difference with its band."""
    y_true, models = two_models()
    budget = rates.from_quantiles({0.025: 0.03, 0.975: 0.12})
    found = compare_curves(y_true, *models.values(), random_state=0)
    plt.rcParams.update({"font.size": 11, "axes.spines.top": False})
    plt.rcParams.update({"axes.spines.right": False})
    left, ax = plt.subplots(figsize=SIZE, layout="constrained")
    draw_curves(ax, y_true, models, budget)
    right, ax = plt.subplots(figsize=SIZE, layout="constrained")
    draw_difference(ax, found, budget)
    for figure, name in ((left, "front_curves"), (right, "front_difference")):
        figure.savefig(folder / f"{name}.png", dpi=130, metadata={"Software": None})


def draw_curves(ax, y_true, models, budget):
    """Draw recall against the rate, and the hill of the budget."""
    draw_budget(ax, budget)
    for name, y_score in models.items():
        rate, hits = hit_curve(y_true, y_score)
        found = recall_at_rate_score(y_true, y_score, rate=budget)
        label = f"{name}: finds {found:.0%} within it"
        ax.plot(rate, hits / hits[-1], STYLES[name], color=COLOURS[name], lw=2)
        ax.lines[-1].set_label(label)
    ax.set(xlabel="Rate: share of all cases processed", ylabel="Recall")
    ax.set(xlim=(0, 0.5), ylim=(0, 1.02), title="Which model for this budget?")
    ax.legend(frameon=False, loc="lower right")


def draw_difference(ax, found, budget):
    """Draw the difference of the curves, its band, and where a model wins."""
    draw_budget(ax, budget, height=0.06, base=-0.2)
    ax.axhline(0, color="0.4", lw=1)
    ax.fill_between(found.rates, found.band.low, found.band.high, color="0.8", lw=0)
    ax.plot(found.rates, found.difference, color="0.15", lw=2)
    ax.set(xlabel="Rate: share of all cases processed", xlim=(0, 0.5))
    ax.set(ylabel="Recall of A minus recall of B", ylim=(-0.2, 0.3))
    wins = found.winning_rates()
    ax.set_title(
        f"A wins from {wins.a[0][0]:.0%} to {wins.a[0][1]:.1%}, "
        f"B from {wins.b[0][0]:.1%}"
    )


def draw_budget(ax, budget, height=0.35, base=0.0):
    """Draw the density of the rate as a hill at the foot."""
    rate = np.linspace(0.001, 0.5, 400)
    density = budget.density(rate)
    ax.fill_between(
        rate, base, base + height * density / density.max(), color="#ddcfee", lw=0,
        label="the budget: 3 to 12 %",
    )  # fmt: skip


def photograph_report(folder):
    """Write the report of both models, and photograph its beginning."""
    y_true, models = two_models()
    columns = np.column_stack([y_true, *models.values()])
    with tempfile.TemporaryDirectory() as temporary:
        file, page = (Path(temporary) / name for name in ("scores.csv", "report.html"))
        np.savetxt(file, columns, delimiter=",", header="y,a,b", comments="")
        options = ["--label", "y", "--score", "a", "--score", "b", "--html", str(page)]
        options += ["--rate", "0.03", "0.12", "--n-items", "5000"]
        main(["report", str(file), *options])
        photograph(page, folder / "front_report.png", 660, 1090, is_dark=False)


if __name__ == "__main__":
    # First, because the other pictures change matplotlib's style.
    photograph_report(Path(sys.argv[1]))
    draw(Path(sys.argv[1]))
