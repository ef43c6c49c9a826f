"""What all results share: plain data, a number, a format, and a table in notebooks."""

import dataclasses
import json
import math
import re
import sys
from html.parser import HTMLParser

import numpy as np
import pytest

from optional import require
from skrate import (
    RankTable,
    budget_report,
    compare,
    compare_curves,
    curve_band,
    estimate,
    group_scores,
    rate_averaged_roc_curve,
    sample_size,
    select_best,
    subgroup_scores,
)
from skrate.error_rate import auc_moments, auc_range_from_errors
from skrate.labels import plan_labels
from skrate.metrics.result_types import Result, Rows
from skrate.review import recall_certificate

RNG = np.random.default_rng(0)
Y = np.arange(80) % 2
A, B, C = (Y * size + RNG.normal(size=80) for size in (1, 0.8, 0.1))
PILOT = RankTable([30, 20, 10], [5, 25, 50])
NAME = "<script>alert('&')</script>"


SINGLE = {
    "estimate": estimate("roc_auc", Y, A),
    "comparison": compare("roc_auc", Y, A, B),
    "equal_budget": compare("recall_at_rate", Y, A, B, rate=0.2).equal_budget(),
    "of_tables": compare("roc_auc", PILOT, y_true_b=PILOT),
    "budget_row": budget_report(Y, A, rate=0.2, n_items=20)["found"],
    "curve_point": rate_averaged_roc_curve([Y], [A]).recall_at_rate(0.2),
    "certificate": recall_certificate(95, 1000, 500, 0),
}
OTHERS = {
    "comparisons": compare("roc_auc", Y, {NAME: A, "b": B, "c": C}),
    "estimates": estimate("roc_auc", Y, {f"{NAME} {i}": A + i for i in range(12)}),
    "budget_report": budget_report(Y, {NAME: A, "b": B}, rate=0.2, n_items=20),
    "sample_size": sample_size("roc_auc", PILOT, half_width=0.05),
    "power": sample_size("roc_auc", Y, A, B, n_samples=300),
    "curve": rate_averaged_roc_curve([Y[:40], Y[40:]], [A[:40], A[40:]]),
    "curves": compare_curves(Y, A, B, n_resamples=99, random_state=0),
    "band": curve_band(Y, A, n_resamples=99, random_state=0),
    "lists": group_scores("roc_auc", Y, A, groups=[NAME, NAME, "b", "b"] * 20),
    "subgroups": subgroup_scores(
        "recall", Y, A, by=[NAME, NAME, "b", "b"] * 20, rate=0.2
    ),
    "moments": auc_moments(10, 20, 3),
    "range": auc_range_from_errors(10, 20, 3),
}
# Of many models the number is that of the best.
BEST = select_best("roc_auc", Y, {NAME: A, "b": B}, n_resamples=99, random_state=0)
PLAN = plan_labels(
    [4, 3, 2, 1], 2, metric="roc_auc", probability=[0.8, 0.6, 0.3, 0.1], random_state=0
)
ALL = SINGLE | OTHERS | {"best": BEST, "plan": PLAN}
BY_NAME = pytest.mark.parametrize("name", ALL)


@BY_NAME
def test_the_dict_is_flat_and_of_python_alone(name):
    values = ALL[name].to_dict()
    for value in values.values():
        for each in value if isinstance(value, list) else [value]:
            assert type(each) in (float, int, str, bool, type(None))
    again = json.loads(json.dumps(values))
    assert list(again) == list(values)


def test_what_is_said_of_a_review_agrees_with_the_number_of_looks():
    often = recall_certificate(95, 1000, 500, 0, looks="any")
    assert "confidence over any number of looks," in repr(often)
    assert "look" not in repr(ALL["certificate"])


@pytest.mark.parametrize("name", SINGLE)
def test_a_single_value_is_the_number_of_a_result(name):
    result = SINGLE[name]
    assert type(float(result)) is float
    assert float(result) == result.value
    assert math.isfinite(float(result))
    assert f"{result:.3f}" == f"{result.value:.3f}"
    assert f"{result:+9.1%}" == f"{result.value:+9.1%}"
    assert f"{result}" == str(result)


def test_brackets_add_the_interval():
    low, high = SINGLE["estimate"].confidence_interval
    value = SINGLE["estimate"].value
    assert f"{SINGLE['estimate']:.3f[]}" == f"{value:.3f} [{low:.3f}, {high:.3f}]"
    assert "{:.1%[]}".format(SINGLE["estimate"]).endswith("%]")
    with pytest.raises(ValueError, match="format"):
        format(SINGLE["estimate"], "wide")


def test_numbers_sort_average_and_fill_columns():
    results = [estimate("roc_auc", Y, scores) for scores in (C, A, B)]
    values = [result.value for result in results]
    assert [r.value for r in sorted(results, key=float)] == sorted(values)
    assert np.mean(np.array(results, dtype=float)) == np.mean(values)
    pandas = require("pandas")
    assert pandas.Series(results).astype(float).tolist() == values


@pytest.mark.parametrize("name", OTHERS)
def test_results_of_several_values_are_no_number(name):
    with pytest.raises(TypeError, match=r"^\w+ .*single value"):
        float(OTHERS[name])
    with pytest.raises(TypeError, match="single value"):
        format(OTHERS[name], ".3f")
    assert f"{OTHERS[name]}" == str(OTHERS[name])


def test_the_message_names_public_fields_or_what_to_take():
    with pytest.raises(TypeError, match="n_pos"):
        float(OTHERS["sample_size"])
    with pytest.raises(TypeError, match=r"n_items.*n_pos"):
        float(OTHERS["lists"])


def kinds(cls):
    """Return a class, if it is one of results and no base, and those below it."""
    own = {cls} if dataclasses.is_dataclass(cls) else set()
    return own.union(*map(kinds, cls.__subclasses__()))


def test_every_kind_of_result_is_tried_here():
    assert {type(result) for result in ALL.values()} == kinds(Result)


@BY_NAME
def test_every_result_is_a_data_frame_of_its_dict(name):
    require("pandas")
    result, values = ALL[name], ALL[name].to_dict()
    frame = result.to_frame()
    index = [] if frame.index.name is None else [frame.index.name]
    assert sorted([*index, *frame.columns]) == sorted(values)
    assert len(frame) == (
        max(len(value) for value in values.values() if isinstance(value, list))
        if isinstance(result, Rows)
        else 1
    )
    for column, value in values.items():
        found = frame.reset_index()[column].tolist()
        is_column = isinstance(result, Rows) and isinstance(value, list)
        expected = value if is_column else [value] * len(frame)
        # What is None is nan in a column of numbers.
        pairs = zip(found, expected, strict=True)
        assert all(str(a) == str(b) or (a != a and b is None) for a, b in pairs)


def test_a_data_frame_without_pandas_says_what_to_do(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    for result in ALL.values():
        with pytest.raises(ImportError, match=r"to_frame.*pandas.*to_dict"):
            result.to_frame()


@BY_NAME
def test_every_result_makes_a_page_with_its_table(name):
    page = ALL[name].to_html()
    # The page of a budget report has the caption as a paragraph.
    table = re.sub("<caption.*</caption>", "", ALL[name]._repr_html_())
    assert table in re.sub("<caption.*</caption>", "", page)
    title = re.search("<title>(.*)</title>", page)[1]
    assert title.replace(" ", "").lower() == type(ALL[name]).__name__.lower()
    assert not re.search(r"href|@import|url\(|<script|http", page)


class Table(HTMLParser):
    """Reads the cells of a table, and what encloses them."""

    def __init__(self, html):
        super().__init__()
        self.open, self.tags, self.rows = [], set(), []
        self.feed(html)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.tags.add(tag)
        for name, value in attrs:
            assert name in ("style", "colspan")
            assert "color" not in value
            assert "url" not in value
        if tag == "tr":
            self.rows.append([])

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open[-1] in ("td", "th"):
            self.rows[-1].append(data)


@BY_NAME
def test_a_notebook_shows_a_table_that_is_escaped_and_loads_nothing(name):
    html = ALL[name]._repr_html_()
    table = Table(html)
    assert table.tags <= {"table", "caption", "tr", "th", "td"}
    assert NAME not in html
    assert len(html) < 8000


def test_the_table_of_a_result_has_the_entries_of_its_dict():
    result = SINGLE["estimate"]
    head, *rows = Table(result._repr_html_()).rows
    assert head == ["Estimate"]
    values = result.to_dict()
    assert [name for name, _ in rows] == list(values)
    shown = dict(rows)
    assert shown["metric"] == "AUC"
    assert shown["value"] == f"{values['value']:.4g}"
    assert shown["n_pos"] == "40"


def test_comparisons_are_found_by_the_names_of_both_models():
    y_scores = {"A": [4, 2, 3, 1], "B": [4, 1, 3, 2], "C": [1, 4, 2, 3]}
    found = compare("roc_auc", [1, 1, 0, 0], y_scores)
    assert found["A", "C"] is found[1]
    for key in ("B", ("C", "A")):
        with pytest.raises(KeyError, match=r"must be a number, or one of the pairs"):
            found[key]
