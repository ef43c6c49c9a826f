"""What notebooks show of scorers and rates."""

from scipy import stats
from sklearn import config_context

from looped import looped
from skrate import (
    AveragePrecisionScorer,
    RateWeightedAUCScorer,
    make_ranking_scorer,
    rates,
    recall_at_rate_score,
)

SCORERS = [
    RateWeightedAUCScorer(rate=rates.beta(3, 19), pos_label="<b>yes</b>"),
    RateWeightedAUCScorer(rate=stats.norm(0.2, 0.1)),
    AveragePrecisionScorer(prevalence=0.1),
    make_ranking_scorer("ranking_auc", groups="user"),
    make_ranking_scorer(recall_at_rate_score, rate=0.2),
]


@looped("scorer", SCORERS)
def test_a_scorer_is_a_table_of_parameters_and_never_not_fitted(scorer):
    html = scorer._repr_html_()
    # Notebooks ask for the HTML only where there is no bundle of all kinds.
    assert scorer._repr_mimebundle_ is None
    assert html.startswith("<table>")
    assert "fitted" not in html
    assert "<b>" not in html
    assert "<style" not in html
    assert " at 0x" not in html
    for name in scorer.get_params(deep=False):
        assert f">{name}</td>" in html
    # Whoever asks for text gets text.
    with config_context(display="text"):
        assert not hasattr(scorer, "_repr_html_")


def test_parameters_are_shown_as_they_are_written():
    html = make_ranking_scorer(recall_at_rate_score, rate=0.2)._repr_html_()
    assert ">make_ranking_scorer</th>" in html
    assert ">recall_at_rate_score</td>" in html
    assert ">0.2</td>" in html
