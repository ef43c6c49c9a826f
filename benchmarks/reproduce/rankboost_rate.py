"""Does RankBoost gain from weights for a rate distribution? Mostly not.

    python benchmarks/reproduce/rankboost_rate.py [FOLDER]

FOLDER (or the environment variable SKRATE_DATA) holds sets in ARFF; one that is absent
is skipped. A first model ranks the training cases, a second gets case weights, so that
pairs count by

    density    the density of the rate where each of its cases stands, mixed with a
               quarter of equal weight, to the powers 1/2 and 1
    survival   the probability that the negative is processed, plus a tenth

and the table shows the rAUC of held-out cases for equal weights, and the mean gain over
it with the standard error over the folds, which is too small, as folds share cases.
"""

import argparse
import os
from pathlib import Path

import numpy as np
from scipy import stats
from scipy.io import arff
from sklearn.model_selection import RepeatedStratifiedKFold

from skrate import RankBoostClassifier, rate_weighted_auc_score, rates

SETS = {
    "ionosphere": None,
    "pima-diabetes": None,
    "weka-credit-g": None,
    "page-blocks": [b"2", b"3", b"4", b"5"],
    "weka-colic": None,
    "weka-breast-w": None,
}
RATES = ((2, 38), (3, 17))
N_REPEATS = 2


def main() -> None:
    folder = parse().folder
    print(f"{'set':15}{'rate':11}{'equal':>7}{'density^1/2':>17}", end="")
    print(f"{'density':>17}{'survival':>17}")
    for name, positive in SETS.items():
        files = sorted((folder / name).glob("*.arff"))
        if not files:
            print(f"{name}: skipped, no {folder / name}/*.arff")
            continue
        X, y = read(files[0], positive)
        splitter = RepeatedStratifiedKFold(
            n_splits=5, n_repeats=N_REPEATS, random_state=0
        )
        folds = list(splitter.split(X, y))
        for parameters in RATES:
            scores = np.array([fold(X, y, *rows, parameters) for rows in folds])
            gains = scores[:, 1:] - scores[:, :1]
            errors = gains.std(axis=0, ddof=1) / np.sqrt(len(folds))
            cells = zip(gains.mean(axis=0), errors, strict=True)
            print(f"{name:15}beta{parameters!s:8}{scores[:, 0].mean():6.4f}", end="")
            print("".join(f"{gain:+9.4f} ±{error:.4f}" for gain, error in cells))


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    default = os.environ.get("SKRATE_DATA", Path(__file__).parents[3] / "shared/data")
    parser.add_argument("folder", type=Path, nargs="?", default=default)
    return parser.parse_args()


def read(path, positive):
    """Features, categories as indicators, and whether the label is the rarer one."""
    data, _ = arff.loadarff(path)
    *features, label = data.dtype.names
    columns = []
    for feature in features:
        values = data[feature]
        if values.dtype.kind == "S":
            missing = values == b"?"
            columns += [
                np.where(missing, np.nan, values == value)
                for value in np.unique(values[~missing])
            ]
        else:
            columns.append(values.astype(float))
    labels, counts = np.unique(data[label], return_counts=True)
    positive = [labels[counts.argmin()]] if positive is None else positive
    return np.column_stack(columns), np.isin(data[label], positive).astype(int)


def fold(X, y, train, test, parameters):
    """Held-out rAUC for equal weights and for each of the others."""
    X_train, y_train = X[train], y[train]
    model = RankBoostClassifier(max_bins=255).fit(X_train, y_train)
    ranks = stats.rankdata(-model.decision_function(X_train))
    place = (ranks - 0.5) / len(train)
    rate = stats.beta(*parameters)
    density = rate.pdf(place)
    mixed = 0.25 + 0.75 * density / density.mean()
    survival = np.where(y_train == 1, 1.0, 0.1 + rate.sf(place))
    models = [model] + [
        RankBoostClassifier(max_bins=255).fit(X_train, y_train, weights)
        for weights in (np.sqrt(mixed), mixed, survival)
    ]
    return [
        rate_weighted_auc_score(
            y[test], model.decision_function(X[test]), rate=rates.beta(*parameters)
        )
        for model in models
    ]


if __name__ == "__main__":
    main()
