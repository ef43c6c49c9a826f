"""The cost of monitoring a metric of ours, or the AUC, in each round of boosting.

    python benchmarks/monitored_rounds.py [--short]

Prints one table: milliseconds of CPU time per round, on one thread, for the library's
AUC and for our metrics of the same validation cases, and their ratio. Each is the
difference from training without a metric, or with a nearly free one; the least of
some runs that take turns. ``--short`` takes 1,000 cases. The extra ``peers`` installs
the libraries.
"""

import argparse
import os
import time

# Read where the libraries are loaded.
os.environ["OMP_NUM_THREADS"] = "1"

import catboost
import lightgbm
import numpy as np
import xgboost

from skrate import eval_metric, rate_weighted_auc_score, rates, recall_at_rate_score

SIZES = (20_000, 200_000)
N_TRAIN, N_ROUNDS = 5_000, 20
METRICS = {
    "AUC": ("roc_auc", {}),
    "rAUC": (rate_weighted_auc_score, {"rate": rates.beta(2, 20)}),
    "recall": (recall_at_rate_score, {"rate": 0.1}),
}
HEAD = ("library", "cases", "metric", "its AUC", "ours", "ratio")


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--short", action="store_true")
    options = parser.parse_args()
    print(("{:<9}" + " {:>9}" * 5).format(*HEAD))
    for n_samples in [1_000] if options.short else SIZES:
        rng = np.random.default_rng(0)
        X = rng.normal(size=(n_samples, 5)).astype(np.float32)
        y = (X[:, 0] + rng.normal(size=n_samples) > 1.2).astype(int)
        for library, train in TRAIN.items():
            for name, (metric, params) in METRICS.items():
                ours = eval_metric(metric, library=library, **params)
                watched = ("nothing", "auc", ours)
                least = dict.fromkeys(watched, np.inf)
                for _ in range(1 if options.short else 5):
                    for each in watched:
                        start = time.process_time()
                        train(each, X, y)
                        spent = time.process_time() - start
                        least[each] = min(least[each], spent)
                base, theirs, own = (1e3 * least[each] / N_ROUNDS for each in watched)
                theirs, own = theirs - base, own - base
                numbers = f"{theirs:>9.2f} {own:>9.2f} {own / theirs:>9.2f}"
                print(f"{library:<9} {n_samples:>9} {name:>9} {numbers}", flush=True)


def with_lightgbm(watched, X, y):
    train = lightgbm.Dataset(X[:N_TRAIN], y[:N_TRAIN])
    metric = "auc" if watched == "auc" else "None"
    lightgbm.train(
        {"objective": "binary", "metric": metric, "num_leaves": 7, "verbose": -1},
        train,
        N_ROUNDS,
        valid_sets=[train.create_valid(X, y)],
        feval=None if isinstance(watched, str) else watched,
    )


def with_xgboost(watched, X, y):
    metric = "auc" if watched == "auc" else "error"
    xgboost.train(
        {"objective": "binary:logistic", "max_depth": 3, "eval_metric": metric},
        xgboost.DMatrix(X[:N_TRAIN], y[:N_TRAIN]),
        N_ROUNDS,
        evals=[(xgboost.DMatrix(X, y), "valid")],
        custom_metric=None if isinstance(watched, str) else watched,
        verbose_eval=False,
    )


def with_catboost(watched, X, y):
    # Of both samples, as metrics of Python are.
    own = {"auc": "AUC:hints=skip_train~false", "nothing": "Accuracy"}
    model = catboost.CatBoostClassifier(
        iterations=N_ROUNDS,
        depth=3,
        eval_metric=own[watched] if isinstance(watched, str) else watched,
        thread_count=1,
        use_best_model=False,
        verbose=False,
        allow_writing_files=False,
    )
    model.fit(X[:N_TRAIN], y[:N_TRAIN], eval_set=(X, y))


TRAIN = {"lightgbm": with_lightgbm, "xgboost": with_xgboost, "catboost": with_catboost}


if __name__ == "__main__":
    main()
