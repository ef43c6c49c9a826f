"""The arguments of a drawing are defined by ``plot``, and stand where it is called."""

import inspect
import re

import pytest

import skrate
from optional import require
from skrate.displays.base import Drawing

require("matplotlib")
DISPLAYS = [
    value
    for name in skrate.__all__
    if inspect.isclass(value := getattr(skrate, name)) and issubclass(value, Drawing)
]
METHODS = [
    pytest.param(display, name, id=f"{display.__name__}.{name}")
    for display in DISPLAYS
    for name in dir(display)
    if name.startswith("from_")
]
each_method = pytest.mark.parametrize(("display", "name"), METHODS)


def parameters(method):
    return dict(inspect.signature(method).parameters)


def documented(method):
    """Return the parameters that a docstring describes, in their order."""
    text = inspect.cleandoc(method.__doc__)
    (section,) = re.findall(
        r"^Parameters\n-+\n(.*?)\n\n\S[^\n]*\n---", text, re.S | re.M
    )
    heads = re.findall(r"^(\S.*) : ", section, re.MULTILINE)
    return [name for head in heads for name in head.split(", ")]


def test_there_are_displays_with_several_methods():
    assert len(DISPLAYS) >= 7
    assert len(METHODS) > 2 * len(DISPLAYS)


@each_method
def test_all_that_plot_takes_stands_in_the_signature(display, name):
    found = parameters(getattr(display, name))
    assert not [p for p in found.values() if p.kind is p.VAR_KEYWORD]
    expected = parameters(display.plot)
    del expected["self"]
    for key, parameter in expected.items():
        assert found[key].kind is parameter.KEYWORD_ONLY
        # A method may have a word of its own on a name, with the same default.
        assert found[key].default == parameter.default or key in ("rate", "n_items")


@each_method
def test_each_argument_is_described_once_and_in_the_order_of_the_signature(
    display, name
):
    method = getattr(display, name)
    assert documented(method) == [key for key in parameters(method) if key != "cls"]


def test_a_method_that_is_inherited_is_described_for_each_class():
    of_hits = parameters(skrate.HitCurveDisplay.from_estimator)
    of_consensus = parameters(skrate.RateAveragedROC.from_estimator)
    assert "plot_momentum" in of_hits
    assert "plot_momentum" not in of_consensus
    assert "zoom" in of_consensus
    errors = parameters(skrate.AUCErrorRateDisplay.from_estimator)
    assert not {"y_pred", "sample_weight"} & set(errors)
    assert "models" not in parameters(skrate.BudgetReportDisplay.from_estimator)


def test_a_class_of_the_users_own_has_its_own():
    class Wider(skrate.HitCurveDisplay):
        def plot(self, ax=None, *, width=1, **kwargs):
            """Draw.

            Parameters
            ----------
            ax : Axes
                Where.
            width : float
                How wide.

            Returns
            -------
            display : Wider
                Itself.
            """
            return super().plot(ax, curve_kwargs={"lw": width}, **kwargs)

    assert "width" in parameters(Wider.from_estimator)
    assert "width" not in parameters(skrate.HitCurveDisplay.from_estimator)
    display = Wider.from_predictions([0, 1], [0, 1], width=3)
    assert display.line_.get_linewidth() == 3
