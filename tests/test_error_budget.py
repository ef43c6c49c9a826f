"""All statements of a chain are true at the level that they share, and else are not."""

import importlib.util
import math
import sys

import numpy as np
import pytest
from scipy import stats

from guarantees import assert_share, simulations
from looped import case
from repository import ROOT

PATH = ROOT / "benchmarks" / "error_budget.py"
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not PATH.is_file(), reason="needs the checkout's benchmarks"),
]
# Each case trained the models that test the others: see the guide.
EXCESS = {"select": 0.03}


@pytest.fixture(scope="module")
def chain():
    spec = importlib.util.spec_from_file_location("error_budget_chain", PATH)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def found(chain):
    return {name: chain.simulated(name, simulations(400)) for name in chain.DESIGNS}


def test_the_parts_are_the_whole(chain):
    assert math.fsum(chain.SPLIT.values()) == pytest.approx(chain.ALPHA, rel=1e-15)


def together(chain, found, way):
    """Return in which runs of all designs a statement was false."""
    return np.concatenate([chain.any_false(ways[way]) for ways in found.values()])


def test_all_statements_hold_together_where_the_error_is_split(chain, found):
    for way in ("split", chain.HELD_OUT):
        with case(way):
            assert_share(together(chain, found, way), at_most=chain.ALPHA)
    for design, ways in found.items():
        with case(design):
            wrong = chain.any_false(ways[chain.HELD_OUT])
            assert_share(wrong, at_most=chain.ALPHA)


def test_each_statement_holds_at_its_level(chain, found):
    for design, ways in found.items():
        for way, false in ways.items():
            levels = chain.WAYS.get(way, chain.SPLIT)
            for column, name in enumerate(chain.STATEMENTS):
                made = false[~np.isnan(false[:, column]), column]
                excess = 0 if way == chain.HELD_OUT else EXCESS.get(name, 0)
                with case(f"{design}, {way}, {name}"):
                    assert_share(made, at_most=levels[name] + excess)


def test_without_the_split_they_do_not_hold_together(chain, found):
    wrong = together(chain, found, "not split")
    counts = int(wrong.sum()), len(wrong)
    assert stats.binomtest(*counts, chain.ALPHA, alternative="greater").pvalue < 0.05
