"""The examples of the gallery hold numbers of data that is not in the repository."""

import csv
import re

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from optional import data_file
from repository import ROOT

EXAMPLES = ROOT / "docs" / "examples"


def places_in_the_example(name="plot_budget_report.py"):
    source = (EXAMPLES / name).read_text(encoding="utf-8")
    listed = re.search(r"places = np\.array\(\s*\[([\d,\s]*)\]", source)[1]
    return np.array([int(place) for place in listed.split(",")])


def test_the_places_of_the_review_are_those_of_its_records():
    path = data_file("screening-nagtegaal2019/Nagtegaal_2019.csv")
    with path.open(encoding="utf-8", newline="") as file:
        records = list(csv.DictReader(file))
    is_included = np.array([record["label_included"] == "1" for record in records])
    assert len(records) == 2_019
    assert is_included.sum() == 101
    texts = np.array([f"{record['title']} {record['abstract']}" for record in records])
    order = np.random.default_rng(0).permutation(len(records))
    seen, ranked = order[:400], order[400:]
    assert is_included[seen].sum() == 17
    model = make_pipeline(
        TfidfVectorizer(sublinear_tf=True, min_df=2, ngram_range=(1, 2)),
        LogisticRegression(C=10, class_weight="balanced", max_iter=1_000),
    ).fit(texts[seen], is_included[seen])
    by_score = np.argsort(-model.decision_function(texts[ranked]), kind="stable")
    places = np.flatnonzero(is_included[ranked][by_score]) + 1
    # Releases of scikit-learn differ in the last digits of a fit.
    np.testing.assert_allclose(places_in_the_example(), places, atol=3)


def test_the_review_that_is_replayed_is_the_same():
    replayed = places_in_the_example("plot_stopping.py")
    assert replayed.tolist() == places_in_the_example().tolist()
