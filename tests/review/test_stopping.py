"""The course of a review: windows by counting, published p-values, what it promises."""

from fractions import Fraction

import numpy as np
import pytest

from guarantees import assert_share, simulated
from looped import looped
from optional import require
from reference import urn as oracle
from skrate.review import certificate as urn
from skrate.review import recall_certificate, stopping_curve

# Places of the positives of a simulated review, see tests/data/README.md.
PLACES = [
    21, 29, 49, 52, 78, 85, 91, 99, 114, 124, 127, 140, 145, 147, 175, 177, 200, 204,
    206, 210, 251, 255, 271, 279, 287, 302, 340, 342, 349, 359, 361, 373, 376, 404, 414,
    467, 479, 480, 507, 508, 524, 539, 557, 560, 569, 598, 617, 625, 644, 645, 646, 659,
    678, 694, 706, 708, 710, 720, 734, 760, 765, 792, 797, 828, 830, 837, 854, 862, 870,
    879, 882, 884, 899, 922, 946, 959, 963, 970, 971, 985, 1011, 1018, 1070, 1079, 1091,
    1105, 1126, 1128, 1139, 1142, 1154, 1163, 1164, 1178, 1205, 1221, 1258, 1271, 1282,
    1284, 1285, 1296, 1326, 1340, 1368, 1519, 1575, 1580, 1594, 1638, 1682, 1690, 1799,
    1861, 1954, 1970, 1982, 2019, 2053, 2061, 2123, 2207, 2218, 2235, 2276, 2306, 2310,
    2313, 2323, 2407, 2422, 2454, 2475, 2478, 2508, 2521, 2541, 2543, 2583, 2597, 2609,
    2617, 2620, 2649, 2681, 2711, 2791, 2807, 2893, 2941, 2949, 3067, 3071, 3091, 3107,
    3156, 3165, 3182, 3252, 3394, 3395, 3400, 3457, 3466, 3484, 3615, 3628, 3652, 3696,
    3767, 3854, 3952, 3998, 4043, 4099, 4140, 4196, 4269, 4303, 4383, 4441, 4469, 4492,
    4620, 4702, 4727, 4777, 4952, 4955, 5185, 5305, 5318, 5534, 5856, 6129, 6310, 6348,
    6542, 7153, 7777,
]  # fmt: skip


def draw_review(rng, *, longest=14):
    n = int(rng.integers(1, longest))
    y_true = (rng.random(n) < rng.choice([0.1, 0.4, 0.8])).astype(int)
    return y_true, n + int(rng.integers(0, 8))


@looped("target", ["0.95", "0.7", "1"])
def test_rankings_agree_with_counting_over_all_windows(target):
    rng = np.random.default_rng(0)
    # A level that no tail of so few cases comes near to.
    alpha = Fraction(1, 10) + Fraction(1, 10**9)
    for _ in range(12):
        y_true, n_items = draw_review(rng)
        curve = stopping_curve(
            y_true, n_items=n_items, target=float(target), step=1,
            confidence_level=float(1 - alpha),
        )  # fmt: skip
        for n, pvalue, left in zip(
            curve.n_read, curve.pvalues, curve.most_left, strict=True
        ):
            read, found = y_true[:n].tolist(), int(y_true[:n].sum())
            expected = oracle.least_over_windows(read, n_items, Fraction(target))
            assert pvalue == pytest.approx(float(expected), rel=1e-11, abs=1e-13)
            # The greatest number that no window excludes.
            totals = range(found, found + n_items - n + 1)
            assert left == max(
                total - found
                for total in totals
                if total == found
                or all(
                    oracle.at_most(x, size, total - found + x, n_items - n + size)
                    > alpha
                    for size in range(1, n + 1)
                    for x in [sum(read[n - size :])]
                    if total - found + x <= n_items - n + size
                )
            )


@looped("lean", [0.0, 0.3, 1.0])
@looped("target", [0.6, 0.95])
def test_blocks_of_windows_that_are_left_out_change_nothing(lean, target):
    rng = np.random.default_rng(2)
    for n in (150, 400):
        share = np.linspace(0.3, 0.3 * (1 - lean), n)
        y_true = (rng.random(n) < share).astype(int)
        n_items = int(n * 1.2)
        curve = stopping_curve(y_true, n_items=n_items, target=target, step=n // 8)
        sizes = [np.arange(1, seen + 1) for seen in curve.n_read]
        for i, size in enumerate(sizes):
            hits, found = np.cumsum(y_true[: size[-1]][::-1]), curve.n_found[i]
            cases = n_items - size[-1] + size

            def least(total, found=found, size=size, hits=hits, cases=cases):
                n_pos = total - found + hits
                return urn.lower_tail(hits, size, n_pos, cases).min()

            excluded = urn.least_total(curve.n_found[i : i + 1], target)
            assert curve.pvalues[i] == least(excluded)
            assert least(found + curve.most_left[i]) > 0.05
            assert least(found + curve.most_left[i] + 1) <= 0.05


def test_published_pvalues_of_a_ranking():
    y_true = np.zeros(12_000, dtype=int)
    y_true[np.array(PLACES) - 1] = 1
    curve = stopping_curve(y_true, n_items=20_000, step=1_000)
    published = [
        0.99606155, 0.99302676, 0.97631598, 0.99875051, 0.97048041, 0.89350356,
        0.68316963, 0.81479109, 0.31343407, 0.10980178, 0.0344359, 0.00941893,
    ]  # fmt: skip
    assert curve.pvalues == pytest.approx(published, abs=5e-9)
    assert curve.n_stop == 11_000
    frontier = {
        0.99: 0.2803368882417732, 0.985: 0.18345778193694434, 0.98: 0.12005306689318333,
        0.975: 0.07855821491332465, 0.97: 0.051403320783917274,
        0.965: 0.033633492389149526, 0.96: 0.022005638245933937,
        0.955: 0.014397171706505495, 0.95: 0.009418930806106517,
    }  # fmt: skip
    for target, expected in frontier.items():
        last = stopping_curve(y_true, n_items=20_000, target=target, step=12_000)
        assert last.pvalues == pytest.approx([expected], rel=1e-8)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
def test_random_cases_agree_with_certificates_at_any_number_of_looks():
    # With so many hits at the end less would be excluded than before.
    y_true = np.repeat([1, 0, 1, 0, 1, 0], [40, 90, 2, 160, 15, 33])
    curve = stopping_curve(y_true, n_items=400, n_ranked=60, step=20, target=0.7)
    totals, pvalues = [], []
    for n in curve.n_read[curve.n_read >= 60]:
        hits = int(y_true[60:n].sum())
        result = recall_certificate(40, 340, int(n) - 60, hits, target=0.7, looks="any")
        totals.append(result.n_found_in_all + result.most_left)
        pvalues.append(result.pvalue)
    assert np.any(np.diff(totals) > 0)
    assert np.any(np.diff(pvalues) > 0)
    is_random = curve.n_read >= 60
    assert (curve.n_found + curve.most_left)[is_random].tolist() == (
        np.minimum.accumulate(totals).tolist()
    )
    assert curve.pvalues[is_random].tolist() == (
        np.minimum.accumulate(pvalues).tolist()
    )


def test_before_the_random_cases_nothing_is_known_of_the_unread():
    curve = stopping_curve([1, 1, 0, 0, 0, 0], n_items=20, n_ranked=4, step=2)
    assert curve.most_left[:2].tolist() == [18, 16]
    assert curve.pvalues[:2].tolist() == [1, 1]
    # What is all read is known.
    for n_ranked in (None, 0, 3):
        curve = stopping_curve([1, 0, 1, 0], n_items=4, n_ranked=n_ranked, step=1)
        assert curve.most_left[-1] == 0
        assert (curve.lower_bounds[-1], curve.pvalues[-1]) == (1, 0)


def test_without_a_positive_only_the_end_shows_it():
    curve = stopping_curve([0, 0, 0], n_items=3, step=1)
    assert curve.lower_bounds[:2].tolist() == [0, 0]
    assert np.isnan(curve.lower_bounds[2])
    assert curve.pvalues == pytest.approx([2 / 3, 1 / 3, 0])


def test_looks_are_a_hundred_or_a_step_apart_and_end_at_the_last_case():
    y_true = np.tile([1, 0], 125)
    for step, expected in (
        (None, [*range(3, 250, 3), 250]), (100, [100, 200, 250]), (500, [250])
    ):  # fmt: skip
        curve = stopping_curve(y_true, n_items=300, step=step)
        assert curve.n_read.tolist() == expected


@looped(
    "y_true, n_items, options, message",
    [
        ([1, 0, 2], 5, {}, "y_true must hold two classes"),
        ([1, 0, np.nan], 5, {}, "y_true contains NaN"),
        (["a", "b"], 5, {}, "pos_label=None is ambiguous"),
        ([1, 0], 5.0, {}, "n_items must be an integer"),
        ([1, 0], 1, {}, "n_items must count all cases, found 1 and 2 labels"),
        ([1, 0], 5, {"target": 0}, r"target must be a number in \(0, 1\]"),
        ([1, 0], 5, {"confidence_level": 0}, "confidence_level must"),
        ([1, 0], 5, {"n_ranked": 3}, "n_ranked must be at most .* found 3 of 2"),
        ([1, 0], 5, {"n_ranked": -1}, "n_ranked must be an integer >= 0"),
        ([1, 0], 5, {"step": 0}, "step must be an integer >= 1"),
    ],
)
def test_bad_input_is_refused_by_name(y_true, n_items, options, message):
    with pytest.raises(ValueError, match=message):
        stopping_curve(y_true, n_items=n_items, **options)


def test_a_result_prints_and_becomes_a_table():
    y_true = [1] * 20 + [0] * 80
    curve = stopping_curve(y_true, n_items=110, step=20)
    assert "recall 0.95 is shown at 100" in repr(curve)
    assert "not shown" in repr(stopping_curve(y_true, n_items=1_000))
    assert "with 95 % confidence, if the unread are no richer; recall" in repr(curve)
    sampled = repr(stopping_curve(y_true, n_items=110, n_ranked=30))
    assert "at random after the first 30" in sampled
    assert "richer" not in sampled
    require("pandas")
    frame = curve.to_frame()
    assert frame["n_found"].tolist() == curve.n_found.tolist()
    assert frame.index.tolist() == curve.n_read.tolist()


@pytest.mark.slow
@pytest.mark.parametrize(("n_pos", "n_ranked"), [(30, 0), (60, 100), (12, 50)])
def test_random_cases_stop_below_the_target_as_rarely_as_promised(n_pos, n_ranked):
    rng, n_items = np.random.default_rng(0), 400

    def is_below(_):
        # A ranking of some worth, and a random order of the rest; a look at each case.
        y_true = (np.arange(n_items) < n_pos).astype(int)
        odds = np.where(y_true, 10.0, 1.0)
        y_true = y_true[np.argsort(rng.exponential(size=n_items) / odds)]
        y_true[n_ranked:] = rng.permutation(y_true[n_ranked:])
        curve = stopping_curve(y_true, n_items=n_items, n_ranked=n_ranked, step=1,
                               confidence_level=0.8, target=0.9)  # fmt: skip
        return y_true[: curve.n_stop].sum() / n_pos < 0.9

    assert_share(simulated(1_500, is_below), at_most=0.2)


@pytest.mark.slow
@pytest.mark.parametrize("is_open", [False, True])
def test_fresh_samples_stop_below_the_target_as_rarely_as_promised(is_open):
    rng, n_looks = np.random.default_rng(0), 4

    def is_below(_):
        unread, found = (np.arange(300) < 12).astype(int), 30
        for look in range(1, n_looks + 1):
            unread = rng.permutation(unread)
            # The later, the larger, and larger again after a hit: all may depend on it.
            n = min(40 * look + 10 * (found - 30), len(unread))
            result = recall_certificate(
                found, len(unread), n, int(unread[:n].sum()), target=0.9,
                confidence_level=0.8, looks=look * (look + 1) if is_open else n_looks,
            )  # fmt: skip
            found, unread = result.n_found_in_all, unread[n:]
            if result.is_reached:
                return found / 42 < 0.9
            # What the ranking finds in between.
            places = np.flatnonzero(unread)[:1]
            found, unread = found + len(places), np.delete(unread, places)
        return False

    assert_share(simulated(500, is_below), at_most=0.2)
