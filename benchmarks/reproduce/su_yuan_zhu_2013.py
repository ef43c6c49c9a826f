"""Figure 2, section 3.5 and tables 4 to 6 of Su, Yuan and Zhu (2013).

    python benchmarks/reproduce/su_yuan_zhu_2013.py [FOLDER]

Prints the paper's tables and draws its figure into FOLDER ("su_yuan_zhu_2013" by
default). The biomarkers of tables 4 and 6 are simulated, with the paper's class sizes
(83 cases, 82 controls). Table 5 needs ``dmist/dmist_digital_malignancy_score.csv`` in
the folder that the environment variable SKRATE_DATA names, and is skipped without it.

Copying controls cannot change the AUC. In the paper's table 6 it changes between the
first column and the second; ours does not.
"""

import argparse
import csv
import os
from pathlib import Path

import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from sklearn.metrics import roc_auc_score

from skrate import (
    HitCurveDisplay,
    RankTable,
    average_precision_score,
    estimate,
    precision_at_rate_score,
)
from skrate.metrics.momentum import momentum_score

N_CASES, N_CONTROLS = 83, 82
# Prevalence and shift of figure 2.
SCENARIOS = [(p, shift) for p in (0.1, 0.5) for shift in (0.5, 2.0)]
EARLY_RATES = (0.02, 0.05, 0.1)
N_SIMULATIONS = 500
N_RESAMPLES = 5_000
DIGITAL = Path("dmist") / "dmist_digital_malignancy_score.csv"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, nargs="?", default="su_yuan_zhu_2013")
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    draw_figure_2(folder / "figure_2.png")
    print_section_3_5()
    print_table_4()
    print_table_5()
    print_table_6(folder / "figure_4.png")


def binormal(rng, n_samples, n_controls, shift):
    """Labels and scores of two normal classes."""
    y_true = np.repeat([1, 0], [n_samples, n_controls])
    return y_true, rng.normal(size=len(y_true)) + shift * y_true


def marked(rng, n_samples, n_controls, share, shift):
    """The same, where only a share of the cases is shifted."""
    y_true = np.repeat([1, 0], [n_samples, n_controls])
    is_marked = np.arange(len(y_true)) < round(share * n_samples)
    return y_true, rng.normal(size=len(y_true)) + shift * is_marked


def draw_figure_2(path):
    rng = np.random.default_rng(2)
    figure, axes = plt.subplots(2, 2, figsize=(10, 8))
    for ax, (p, shift) in zip(axes.flat, SCENARIOS, strict=True):
        data = binormal(rng, round(500 * p), round(500 * (1 - p)), shift)
        HitCurveDisplay.from_predictions(
            *data, ax=ax, plot_momentum=True, curve_kwargs={"linestyle": "--"}
        )
        ax.set_title(f"prevalence {p:g}, shift {shift:g}")
    figure.tight_layout()
    figure.savefig(path, dpi=100)
    print(f"Figure 2: {path}\n")


def momenta(p, shift):
    """The momentum of equation 14 and the initial precisions of 500 cases, by draw."""
    rng = np.random.default_rng(35)
    found = []
    for _ in range(N_SIMULATIONS):
        data = binormal(rng, round(500 * p), round(500 * (1 - p)), shift)
        adjusted = average_precision_score(*data, adjusted=True)
        # Equation 14 itself, which has a value also where the test fails.
        beta = adjusted / (2 * roc_auc_score(*data) - 1)
        early = [precision_at_rate_score(*data, rate=r) for r in EARLY_RATES]
        found.append([beta, *early])
    return np.array(found)


def print_section_3_5():
    print(f"Section 3.5: means of {N_SIMULATIONS} simulations of 500 cases")
    rates = "".join(f"{f'to {rate:g}':>9}" for rate in EARLY_RATES)
    print(f"{'':24}{'':>10}{'':>9}    precision of the top")
    print(f"{'prevalence':>12}{'shift':>8}{'momentum':>14}{'(sd)':>9}{rates}")
    for p, shift in SCENARIOS:
        found = momenta(p, shift)
        beta, *early = np.mean(found, axis=0)
        sd = np.std(found, axis=0)[0]
        cells = "".join(f"{value:9.3f}" for value in early)
        print(f"{p:12g}{shift:8g}{beta:14.3f}{sd:9.3f}{cells}")
    print()


def biomarkers():
    """Fifteen simulated biomarkers, binormal and partly shifted ones."""
    rng = np.random.default_rng(4)
    for k in range(15):
        if k % 3 < 2:
            yield binormal(rng, N_CASES, N_CONTROLS, 1.0 + 0.05 * k)
        else:
            yield marked(rng, N_CASES, N_CONTROLS, 0.5 + 0.02 * k, 3.0)


def standard_errors(*data):
    """The standard errors of the AP: asymptotic and by both bootstraps."""
    return [
        estimate(
            average_precision_score,
            *data,
            method=method,
            stratify=None if method == "parametric" else False,
            n_resamples=N_RESAMPLES,
            random_state=0,
        )
        for method in ("delta", "parametric", "bootstrap")
    ]


def print_table_4():
    print(f"Table 4, simulated: {N_CASES} cases, {N_CONTROLS} controls")
    print(f"{'AP':>8}{'asymptotic':>12}{'parametric':>12}{'nonparametric':>15}")
    ratios = []
    for data in sorted(biomarkers(), key=lambda d: -average_precision_score(*d)):
        results = standard_errors(*data)
        errors = [result.standard_error for result in results]
        ratios.append(np.array(errors[1:]) / errors[0])
        print(
            f"{results[0].value:8.3f}{errors[0]:12.4f}{errors[1]:12.4f}{errors[2]:15.4f}"
        )
    low, high = np.min(ratios), np.max(ratios)
    print(f"bootstrap over asymptotic: {low:.3f} to {high:.3f}")
    print("the paper's table 4:       0.972 to 1.023")
    print(f"(a bootstrap of {N_RESAMPLES} is itself known to 1 %)\n")


def digital_mammograms(path):
    """The table of the seven-point scores, the most suspect first."""
    with path.open(newline="") as lines:
        rows = [row for row in csv.DictReader(lines) if row["modality"] == "digital"]
    rows.sort(key=lambda row: -int(row["score"]))
    return RankTable(
        [int(row["cancer"]) for row in rows], [int(row["noncancer"]) for row in rows]
    )


def print_table_5():
    path = Path(os.environ.get("SKRATE_DATA", "../shared/data")) / DIGITAL
    if not path.exists():
        print(f"Table 5: skipped, no {path}\n")
        return
    table = digital_mammograms(path)
    results = standard_errors(table)
    errors = "  ".join(f"{result.standard_error:.4f}" for result in results)
    auc = estimate("roc_auc", table).value
    print("Table 5, digital: AUC, AP, standard errors (as in table 4)")
    print(f"  here   {auc:.3f}  {results[0].value:.3f}  {errors}")
    print("  paper  0.753  0.144  0.0197  0.0197  0.0194\n")


def pairs_of_tests():
    """Two pairs of tests in kind: A of one AUC, B of one AP in the study."""
    rng = np.random.default_rng(17)
    return {
        "A": {
            "quick": marked(rng, N_CASES, N_CONTROLS, 0.65, 4.0),
            "steady": binormal(rng, N_CASES, N_CONTROLS, 1.0),
        },
        "B": {
            "quick": marked(rng, N_CASES, N_CONTROLS, 0.55, 4.0),
            "steady": binormal(rng, N_CASES, N_CONTROLS, 1.4),
        },
    }


def print_table_6(path):
    pairs = pairs_of_tests()
    print("Table 6, in kind: controls copied 1, 10 and 100 times")
    print(f"{'':14}{'AUC':>8}{'momentum':>10}{'AP x 1':>9}{'x 10':>8}{'x 100':>8}")
    figure, axes = plt.subplots(1, 2, figsize=(10, 4.5))
    for ax, (pair, tests) in zip(axes, pairs.items(), strict=True):
        for name, (y_true, y_score) in tests.items():
            values = [
                at_copied_controls(y_true, y_score, copies) for copies in (1, 10, 100)
            ]
            auc = roc_auc_score(y_true, y_score)
            beta = momentum_score(y_true, y_score)
            cells = "".join(f"{value:8.3f}" for value in values)
            print(f"{pair} {name:12}{auc:8.3f}{beta:10.2f} {cells}")
            table = RankTable.from_arrays(y_true, y_score)
            ax.plot(table.fpr, table.tpr, label=f"{name} (AUC {auc:.2f})")
        ax.plot([0, 1], [0, 1], "--", color="0.5")
        ax.set(title=f"pair {pair}", xlabel="FPR", ylabel="TPR", aspect="equal")
        ax.legend(loc="lower right")
    figure.tight_layout()
    figure.savefig(path, dpi=100)
    print(f"Figure 4, in kind: {path}")


def at_copied_controls(y_true, y_score, copies):
    """The AP at the prevalence of copied controls; copying them gives the same."""
    prevalence = N_CASES / (N_CASES + copies * N_CONTROLS)
    found = average_precision_score(y_true, y_score, prevalence=prevalence)
    repeats = np.where(y_true == 1, 1, copies)
    copied = average_precision_score(
        np.repeat(y_true, repeats), np.repeat(y_score, repeats)
    )
    assert abs(found - copied) < 1e-12
    return found


if __name__ == "__main__":
    main()
