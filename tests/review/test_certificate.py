"""The certificate of a recall: counted urns, published numbers, what it promises."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from sklearn.exceptions import UndefinedMetricWarning

from looped import looped
from reference import urn as oracle
from skrate.review import certificate_sample_size, recall_certificate


def small_samples(largest):
    return [
        (found, n_all, n, x)
        for found in (0, 1, 4)
        for n_all in range(largest + 1)
        for n in range(n_all + 1)
        for x in range(n + 1)
    ]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@looped(
    "target, looks, level",
    [("0.95", 1, "0.9"), ("0.6", 3, "0.7"), ("1", 1, "0.8"), ("0.8", 4, "0.6")],
)
def test_small_samples_agree_with_counted_draws(target, looks, level):
    # Tails of these urns tie with all of these levels, some only as fractions.
    alpha = 1 - Fraction(level)
    for found, n_all, n, x in small_samples(5):
        result = recall_certificate(
            found, n_all, n, x, looks=looks, target=float(target),
            confidence_level=float(level),
        )  # fmt: skip
        urn = x, n, n_all
        spent = alpha / looks
        most = oracle.most(*urn, spent) - x
        assert result.max_missed == most
        ends = oracle.fewest(*urn, spent / 2) - x, oracle.most(*urn, spent / 2) - x
        assert result.missed_interval == ends
        pvalue = min(looks * oracle.pvalue(found, urn, Fraction(target)), 1)
        assert result.pvalue == pytest.approx(float(pvalue), rel=1e-12, abs=1e-14)
        assert result.n_found_total == found + x
        assert result.n_unreviewed_after == n_all - n
        if found + x:
            assert result.lower_bound == (found + x) / (found + x + most)
            low, high = result.confidence_interval
            assert (low, high) == tuple(
                (found + x) / (found + x + left) for left in reversed(ends)
            )
            # One verdict, whether by the bound or by the p-value.
            assert result.is_reached == (result.lower_bound >= float(target))


def test_without_a_sample_all_that_is_unread_may_be_left():
    with pytest.warns(UndefinedMetricWarning, match=r"n_sampled.*0"):
        result = recall_certificate(30, 70, 0, 0)
    assert np.isnan(result.value)
    assert np.isnan(result.n_missed)
    assert result.lower_bound == 0.3
    assert result.confidence_interval == (0.3, 1)
    assert (result.pvalue, result.is_reached) == (1, False)


def test_nothing_found_is_undefined():
    with pytest.warns(UndefinedMetricWarning, match=r"n_found.*n_hits.*0"):
        result = recall_certificate(0, 10, 5, 0)
    assert np.isnan([result.value, *result.confidence_interval]).all()
    assert (result.lower_bound, result.n_missed) == (0, 0)
    assert result.pvalue == pytest.approx(0.5)
    with pytest.warns(UndefinedMetricWarning):
        result = recall_certificate(0, 10, 10, 0)
    assert np.isnan(result.lower_bound)
    # Who reads until it is reached has come to the end.
    assert (result.pvalue, result.is_reached) == (0, True)
    assert "not missed, since there is nothing to find, p = 0" in repr(result)


def test_looks_divide_the_error():
    plain = recall_certificate(95, 5_000, 2_500, 0, confidence_level=0.99)
    divided = recall_certificate(95, 5_000, 2_500, 0, looks=5)
    assert divided.max_missed == plain.max_missed
    assert divided.missed_interval == plain.missed_interval
    assert divided.pvalue == pytest.approx(5 * plain.pvalue)
    any_number = recall_certificate(95, 5_000, 2_500, 0, looks="any")
    assert plain.max_missed > any_number.max_missed
    assert any_number.lower_bound == any_number.confidence_interval.low


@looped(
    "counts, options, message",
    [
        ((-1, 9, 3, 1), {}, r"n_found.*0"),
        ((1, 9.0, 3, 1), {}, "n_unreviewed"),
        ((1, 9, 3.5, 1), {}, "n_sampled"),
        ((1, 9, 3, True), {}, "n_hits"),
        ((1, 9, 10, 1), {}, r"n_sampled.*n_unreviewed.*9.*10"),
        ((1, 9, 3, 4), {}, r"n_hits.*n_sampled.*4.*3"),
        ((1, 9, 3, 1), {"confidence_level": 1}, r"confidence_level.*0.*1"),
        ((1, 9, 3, 1), {"target": 0}, r"target.*0.*1"),
        ((1, 9, 3, 1), {"target": 95}, r"target.*0.*1"),
        ((1, 9, 3, 1), {"looks": 0}, r"looks.*1.*0"),
        ((1, 9, 3, 1), {"looks": "all"}, r"looks.*'any'.*1"),
    ],
)
def test_bad_input_is_refused_by_name(counts, options, message):
    with pytest.raises(ValueError, match=message):
        recall_certificate(*counts, **options)


def test_a_methods_section_can_be_written_from_the_certificate():
    result = recall_certificate(80, 3_800, 2_000, 1, looks=2)
    flat = result.to_dict()
    given = {"n_found": 80, "n_unreviewed": 3_800, "n_sampled": 2_000, "n_hits": 1}
    assert given.items() <= flat.items()
    assert flat["low"] == result.confidence_interval.low
    assert flat["missed_interval_high"] == result.missed_interval.high
    assert (flat["n_found_total"], flat["n_unreviewed_after"]) == (81, 1_800)
    assert flat["is_reached"] is False
    assert "over 2 looks" in repr(result)
    assert "80 found, then 1 of 2,000 drawn from 3,800 unread, at most" in repr(result)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@looped("looks", [1, 2, "any"])
@looped("found, target", [(0, 0.5), (18, 0.95), (18, 1)])
def test_a_planned_sample_is_the_least_that_certifies(found, target, looks):
    n_unreviewed, most_hits = 24, 2
    options = {"target": target, "looks": looks, "confidence_level": 0.8}
    planned = certificate_sample_size(found, n_unreviewed, n_hits=most_hits, **options)

    def shows(n):
        return all(
            recall_certificate(found, n_unreviewed, n, x, **options).is_reached
            for x in range(most_hits + 1)
        )

    sizes = range(most_hits, n_unreviewed + 1)
    assert [shows(n) for n in sizes] == [n >= planned for n in sizes]


def test_a_plan_refuses_more_hits_than_cases():
    with pytest.raises(ValueError, match=r"n_hits.*n_unreviewed.*4"):
        certificate_sample_size(80, 3, n_hits=4)
    with pytest.raises(ValueError, match=r"looks.*'any'"):
        certificate_sample_size(80, 3, looks="all")


def test_a_tail_equal_to_the_error_is_excluded():
    # One that is left among 40 is missed by a sample of 36 with probability 4 / 40.
    result = recall_certificate(50, 40, 36, 0, confidence_level=0.9, target=0.985)
    assert (result.max_missed, result.is_reached) == (0, True)
    size = certificate_sample_size(50, 40, confidence_level=0.9, target=0.985)
    assert size == 36
    # Half of 100 miss a single one with probability 1 / 2.
    assert certificate_sample_size(74, 100, confidence_level=0.5, target=1) == 50


def test_the_sample_size_is_the_largest_of_all_numbers_of_hits():
    for found, unread, hits, target in product(
        (0, 7, 30), (10, 30), (0, 3, 9), (0.6, 0.9)
    ):
        alpha = Fraction(3, 10)
        expected = max(
            next(
                n
                for n in range(x, unread + 1)
                if oracle.pvalue(found, (x, n, unread), Fraction(str(target))) <= alpha
            )
            for x in range(hits + 1)
        )
        size = certificate_sample_size(
            found, unread, n_hits=hits, confidence_level=0.7, target=target
        )
        assert size == expected
