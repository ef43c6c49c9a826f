"""The tables of docs/reproductions.rst: what papers print, beside what skrate finds.

    python benchmarks/reproductions.py [NAME ...]

Writes the named tables into the page (all, without a name) and leaves its text as it
is. The environment variable SKRATE_DATA names the folder of the data. Tables in
``QUICK`` take less than a second, and a test compares the page with them. The others
fit models or simulate, for up to some minutes; their last digits depend on the versions
of scikit-learn and LightGBM.
"""

import argparse
import csv
import io
import os
import re
import warnings
from pathlib import Path

import numpy as np
from scipy import stats
from sklearn.metrics import roc_auc_score

from reproduce import (
    cortes_mohri_2003,
    millard_flach_higgins_2014,
    millard_kull_flach_2014,
    rapid_review,
    su_yuan_zhu_2013,
)
from skrate import estimate, group_scores, rates
from skrate.error_rate import auc_moments
from skrate.metrics.momentum import momentum_score

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "reproductions.rst"
DATA = Path(os.environ.get("SKRATE_DATA", ROOT.parent / "shared" / "data"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(TABLES))
    names = parser.parse_args().names
    if not {*names} <= {*TABLES}:
        parser.error(f"each NAME must be one of {[*TABLES]}, found {names}")
    for name in names or TABLES:
        written = table(name)
        page = with_table(PAGE.read_text(encoding="utf-8"), name, written)
        PAGE.write_text(page, encoding="utf-8")
        print(f"{name} is written", flush=True)


def table(name):
    """Return a table of the page as reStructuredText."""
    text = io.StringIO()
    csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(
        TABLES[name]()
    )
    body = "".join(f"   {line}\n" for line in text.getvalue().splitlines())
    return f".. csv-table::\n   :header-rows: 1\n   :class: reproduced\n\n{body}"


def with_table(page, name, text):
    """Return the page with another table between the comments that name it."""
    between = rf"(\.\. begin {name}\n\n).*?(\n\.\. end {name}\n)"
    replaced, n_found = re.subn(
        between, lambda found: found[1] + text + found[2], page, flags=re.DOTALL
    )
    if n_found != 1:
        raise ValueError(f"the page has {n_found} places for the table {name!r}")
    return replaced


def budget():
    """Section 5.1 of Millard, Flach and Higgins: from hours to a distribution."""
    found = rates.from_budget(7_200, 2_500, cost=(10, 45))
    low, high = found.ppf([0.025, 0.975])
    return [
        ["", "paper", "skrate"],
        ["alpha", "6.23", f"{found.a:.2f}"],
        ["beta", "32.80", f"{found.b:.2f}"],
        ["2.5 % quantile", "0.064", f"{low:.3f}"],
        ["97.5 % quantile", "0.288", f"{high:.3f}"],
    ]


def correlations():
    """Table 1 of Millard, Flach and Higgins."""
    paper = millard_flach_higgins_2014
    metrics = paper.of_all_models(DATA)
    columns = [f"beta{shape}" for shape in paper.SHAPES]
    hard = metrics["AUC"] <= 0.95
    rows = [["paper / skrate", *columns]]
    for title, stated in paper.PAPER.items():
        name, chosen = ("AUC", hard) if "<=" in title else (title, slice(None))
        row = [title]
        for column, value in zip(columns, stated, strict=True):
            found = stats.spearmanr(metrics[name][chosen], metrics[column][chosen])
            row.append(f"{value:.3f} / {found.statistic:.3f}" if value else "")
        rows.append(row)
    return rows


def readings():
    """What table 1 of Millard, Flach and Higgins depends on, as it is read here."""
    paper = millard_flach_higgins_2014
    columns = [f"beta{shape}" for shape in paper.SHAPES]
    ideal = "NDCG, ideal ranking"

    def row(metrics, name, chosen=slice(None)):
        return [
            stats.spearmanr(metrics[name][chosen], metrics[column][chosen]).statistic
            for column in columns
        ]

    seeds = [paper.of_all_models(DATA, seed) for seed in range(8)]
    of_seeds = {
        "NDCG": [row(metrics, "NDCG") for metrics in seeds],
        "AUC": [row(metrics, "AUC") for metrics in seeds],
        "AUC <= 0.95": [row(m, "AUC", m["AUC"] <= 0.95) for m in seeds],
        "NDCG by the true ideal": [row(metrics, ideal) for metrics in seeds],
    }
    rows = [["", *columns]]
    for title, found in of_seeds.items():
        ends = zip(np.min(found, axis=0), np.max(found, axis=0), strict=True)
        cells = [f"{low:.3f} to {high:.3f}" for low, high in ends]
        rows.append([f"{title}, seeds 0 to 7", *cells])
    found = {"NDCG by the true ideal, seed 0": row(seeds[0], ideal)}
    for label, autos in paper.OTHER_AUTOS.items():
        metrics = paper.of_all_models(DATA, autos=autos)
        found[f'NDCG, "autos" by {label}'] = row(metrics, "NDCG")
    rows += [[title, *(f"{x:.3f}" for x in each)] for title, each in found.items()]
    return rows


def review():
    """Section 5.1 of Millard, Flach and Higgins, on a review whose data are public."""
    texts, included = rapid_review.read(DATA / rapid_review.FILE)
    budget = rates.from_budget(7_200, 2_500, cost=(10, 45))
    curves = rapid_review.consensus_curves(texts, included)
    scores = rapid_review.fold_scores(curves, budget)
    stated = {
        "Naive Bayes": "0.781 (0.639)",
        "Random forest": "0.689 (0.636)",
        "Linear SVM": "0.639 (0.570)",
    }
    rows = [["", "rAUC (AUC), paper's articles", "rAUC (AUC), public review"]]
    for name in curves:
        means = [by_model[name].mean() for by_model in scores.values()]
        rows.append([name, stated.get(name, ""), "{:.3f} ({:.3f})".format(*means)])
    pair = ("Naive Bayes", "Random forest")
    for method, published in (("paired", "0.021 (0.884)"), ("corrected", "")):
        p = rapid_review.fold_pvalues(scores, *pair, method)
        title = f"p of Naive Bayes and Random forest, {method}"
        rows.append([title, published, "{:.2g} ({:.2g})".format(*p)])
    p = [
        rapid_review.fold_pvalues(
            rapid_review.fold_scores(
                rapid_review.consensus_curves(texts, included, pair, seed), budget
            ),
            *pair,
            "paired",
        )
        for seed in range(6)
    ]
    spans = [f"{min(each):.2g} to {max(each):.2g}" for each in zip(*p, strict=True)]
    return [*rows, ["the same, paired, six splits", "", "{} ({})".format(*spans)]]


def bounds():
    """Figure 4 of Millard, Kull and Flach, and the exact bounds, which are ours."""
    paper = millard_kull_flach_2014
    shares = paper.self_coverage(paper.N_TESTS, paper.N_TABLES, variance=1.0)
    printed = "bootstrap" + paper.AS_PRINTED
    narrow = paper.self_coverage(
        paper.N_TESTS, paper.N_TABLES, variance=0.2, methods=(printed,)
    )
    title_f = f"{printed}, negatives N(1, 0.2)"
    shares[title_f] = narrow[printed]
    panels = paper.PANELS | {title_f: "4f"}
    rows = [["bounds", "figure", "rate 0.04", "0.1 to 0.9", "rate 0.96", "variance"]]
    for name, share in shares.items():
        method, comma, end = name.partition(", ")
        mean = share.mean(axis=0)
        inner = mean[5:46]
        span = f"{inner.min():.3f} to {inner.max():.3f}"
        ends = [f"{mean[2]:.3f}", span, f"{mean[48]:.3f}"]
        title = f"``{method}``{comma}{end}"
        rows.append([title, panels.get(name, ""), *ends, f"{share[:, 25].var():.4f}"])
    return rows


def mammograms():
    """Table 5 of Su, Yuan and Zhu."""
    paper = su_yuan_zhu_2013
    counts = paper.digital_mammograms(DATA / paper.DIGITAL)
    results = paper.standard_errors(counts)
    stated = ("0.753", "0.144", "0.0197", "0.0197", "0.0194")
    found = [
        f"{estimate('roc_auc', counts).value:.3f}",
        f"{results[0].value:.3f}",
        *(f"{result.standard_error:.4f}" for result in results),
    ]
    titles = [
        "AUC",
        "AP",
        "standard error, asymptotic",
        "standard error, parametric bootstrap",
        "standard error, bootstrap",
    ]
    rows = zip(titles, stated, found, strict=True)
    return [["digital mammograms", "paper", "skrate"], *map(list, rows)]


def momenta():
    """Section 3.5 and figure 2 of Su, Yuan and Zhu."""
    paper = su_yuan_zhu_2013
    tops = [f"precision of the top {100 * rate:g} %" for rate in paper.EARLY_RATES]
    rows = [["prevalence, shift", "momentum (equation 14)", *tops]]
    for prevalence, shift in paper.SCENARIOS:
        means = paper.momenta(prevalence, shift).mean(axis=0)
        row = [f"{prevalence:g}, {shift:g}", *(f"{mean:.3f}" for mean in means)]
        rows.append(row)
    return rows


def biomarkers():
    """Table 4 of Su, Yuan and Zhu, in kind: bootstraps over the asymptotic error."""
    paper = su_yuan_zhu_2013
    ratios = []
    for data in paper.biomarkers():
        errors = [result.standard_error for result in paper.standard_errors(*data)]
        ratios.append(np.array(errors[1:]) / errors[0])
    low, high = np.min(ratios, axis=0), np.max(ratios, axis=0)
    # Of the 15 rows that the paper prints.
    stated = ("0.972 to 1.023", "0.995 to 1.018")
    kinds = ("parametric bootstrap / asymptotic", "bootstrap / asymptotic")
    return [
        ["standard errors of 15 biomarkers", "paper", "skrate, simulated ones"],
        *(
            [kind, said, f"{a:.3f} to {b:.3f}"]
            for kind, said, a, b in zip(kinds, stated, low, high, strict=True)
        ),
    ]


def controls():
    """Table 6 of Su, Yuan and Zhu, in kind: controls copied 1, 10 and 100 times."""
    paper = su_yuan_zhu_2013
    stated = {
        ("A", "quick"): ("0.856, 0.606, 0.571", "0.849, 0.783, 0.783"),
        ("A", "steady"): ("0.802, 0.370, 0.062", "0.850, 0.857, 0.857"),
        ("B", "quick"): ("0.850, 0.572, 0.468", "0.810, 0.773, 0.773"),
        ("B", "steady"): ("0.833, 0.306, 0.043", "0.886, 0.869, 0.869"),
    }
    rows = [["", "AP, paper", "AP, in kind", "AUC, paper", "AUC, in kind", "momentum"]]
    for pair, tests in paper.pairs_of_tests().items():
        for name, data in tests.items():
            copies = [paper.at_copied_controls(*data, k) for k in (1, 10, 100)]
            ap, auc = stated[pair, name]
            rows.append(
                [
                    f"{pair}, {name}",
                    ap,
                    ", ".join(f"{value:.3f}" for value in copies),
                    auc,
                    f"{roc_auc_score(*data):.3f}, all three",
                    f"{momentum_score(*data):.2f}",
                ]
            )
    return rows


def errors():
    """Proposition 1 of Cortes and Mohri: the mean AUC of rankings with k errors."""
    rows = [["positives, negatives", "errors", "accuracy", "mean AUC", "deviation"]]
    for n_pos, n_neg in ((50, 50), (20, 80), (10, 90), (5, 95)):
        for k in (5, 10):
            if k > min(n_pos, n_neg):
                continue
            found = auc_moments(n_pos, n_neg, k)
            cells = [f"{1 - k / (n_pos + n_neg):.2f}", f"{found.mean:.3f}"]
            deviation = f"{np.sqrt(found.variance):.3f}"
            rows.append([f"{n_pos}, {n_neg}", f"{k}", *cells, deviation])
    return rows


def boosting():
    """Table 1 of Cortes and Mohri, for the sets at hand."""
    paper = cortes_mohri_2003
    rows = [
        ["percent", "AUC, paper", "AUC, skrate", "accuracy, paper", "accuracy, skrate"]
    ]
    for name, (positive, accuracy, auc) in paper.SETS.items():
        X, y = paper.read(sorted((DATA / name).glob("*.arff"))[0], positive)
        folds = paper.fit_folds(X, y, ["RankBoost"])["RankBoost"]
        aucs = np.array([paper.fold_aucs(*parts, X, y) for parts in folds])
        best = int(aucs.mean(axis=0).argmax())
        hits = [paper.accuracies(*parts, X, y, best)[1] for parts in folds]
        found = paper.percent(aucs[:, best]), paper.percent(hits)
        cells = (auc, found[0], accuracy, found[1])
        rows.append([name, *(" ".join(cell.split()) for cell in cells)])
    return rows


def lists():
    """What the page on lists says of an AUC within lists and of one over all rows."""
    # Needs LightGBM, which no other table does.
    from reproduce import lambdarank_lists

    folder = DATA / "lightgbm-lambdarank"
    grades, groups = lambdarank_lists.load(folder, "rank.test")[1:]
    y_true = (grades >= lambdarank_lists.RELEVANT).astype(int)
    rows = [["tuned in five folds", "AUC within lists", "of all rows as one list"]]
    for name, _, y_score in lambdarank_lists.tuned_models(folder):
        mean = group_scores("roc_auc", y_true, y_score, groups=groups).estimate()
        pooled = roc_auc_score(y_true, y_score)
        within = f"{mean.value:.3f} ± {mean.standard_error:.3f}"
        rows.append([name, within, f"{pooled:.3f}"])
    return rows


QUICK = ("budget", "mammograms", "controls", "errors")
TABLES = {
    function.__name__: function
    for function in (
        budget,
        correlations,
        readings,
        review,
        bounds,
        mammograms,
        momenta,
        biomarkers,
        controls,
        errors,
        boosting,
        lists,
    )
}


if __name__ == "__main__":
    warnings.filterwarnings("ignore", category=FutureWarning, module="sklearn")
    warnings.filterwarnings("ignore", "X does not have valid feature names")
    main()
