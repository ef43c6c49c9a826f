"""Write the page of the API from the public names, by the question they answer.

List a new public name beside similar ones; names without a question join the last
section.
"""

import importlib
import inspect
from collections.abc import Iterator
from pathlib import Path

import skrate

# Title, page of the user guide or None, and names in the order in which to read them.
QUESTIONS = (
    (
        "Which model finds most within the budget?",
        "rate",
        (
            *("rate_weighted_auc_score", "recall_at_rate_score"),
            *("precision_at_rate_score", "lift_at_rate_score", "convert_rauc"),
        ),
    ),
    (
        "What does it cost to find 95 %, or to be right half the time?",
        "fixed_recall",
        (
            *("rate_at_recall_score", "work_saved_score"),
            *("precision_at_recall_score", "recall_at_precision_score"),
            *("recall_at_fpr_score", "fpr_at_recall_score"),
        ),
    ),
    (
        "What is gained, where cases differ in worth and cost?",
        "worth",
        ("expected_gain_score",),
    ),
    (
        "How good is a screening test, or a part of the ROC curve?",
        "average_precision",
        (
            *("average_precision_score", "partial_auc_score", "hit_curve"),
            "QuasiConcaveHitCurve",
        ),
    ),
    (
        "How well is each user's or query's list ordered?",
        "ranked_lists",
        (
            *("ranking_auc_score", "ndcg_score", "mean_average_precision_score"),
            *("reciprocal_rank_score", "hit_rate_score", "group_scores", "read_trec"),
        ),
    ),
    (
        "How sure is the number? Is model B better than A?",
        "uncertainty",
        ("estimate", "compare", "select_best"),
    ),
    (
        "At which budgets is it better, and what will be found?",
        "deciding",
        ("compare_curves", "curve_band", "budget_report"),
    ),
    ("What does each group of people get?", "ranked_lists", ("subgroup_scores",)),
    ("How many cases must be labelled?", "deciding", ("sample_size",)),
    (
        "How is a model selected in scikit-learn?",
        "selecting",
        (
            *("RateWeightedAUCScorer", "AveragePrecisionScorer"),
            *("make_ranking_scorer", "refit_best", "search_rankings"),
        ),
    ),
    (
        "What do the folds say together?",
        "consensus_curves",
        (
            *("cross_val_rankings", "FoldRankings"),
            *("compare_folds", "rate_averaged_roc_curve"),
        ),
    ),
    (
        "How is training stopped at the right round, or the AUC itself maximised?",
        "in_training",
        ("eval_metric", "RankBoostClassifier"),
    ),
    ("Whom to process?", "in_production", ("ConstrainedThresholdClassifier",)),
    ("What does it look like?", None, ("RateAveragedROC", "HitCurveDisplay")),
    ("What if the cases do not fit in memory?", "large_data", ("RankTable",)),
)
OTHERS = "Further names"
# Modules with a section each: title, page of the guide, and after which question.
MODULES = {
    "rates": ("How is the budget put into numbers?", "rate"),
    "review": ("When may a review stop?", "in_production"),
    "labels": ("What if labels are missing?", "missing_labels"),
    "error_rate": ("Which AUCs go with an error rate?", "auc_and_error_rate"),
    "displays": ("What draws results?", "deciding"),
    "results": ("What do results hold?", "uncertainty"),
}
TEMPLATE = """
{title}
{underline}

{guide}.. currentmodule:: {module}

.. autosummary::
   :toctree: .
   :nosignatures:

{names}
"""


def write_api_page(path: Path) -> None:
    """Write the page, unless it stands there already with the same words."""
    parts = ["API\n===\n", ".. module:: skrate\n", f"{inspect.getdoc(skrate)}\n"]
    first, *others = questions()
    parts += [section(*first), module_section("rates")]
    parts += [section(*question) for question in others]
    parts += [module_section(name) for name in MODULES if name != "rates"]
    text = "\n".join(parts)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def questions() -> Iterator[tuple[str, str | None, list[str]]]:
    """Yield title, page of the guide and names of each section of the package."""
    left = set(skrate.__all__) - set(MODULES)
    for title, page, names in QUESTIONS:
        yield title, page, [name for name in names if name in left]
        left -= set(names)
    if left:
        yield OTHERS, None, sorted(left, key=str.lower)


def section(title: str, page: str | None, names: list[str], of: str = "skrate") -> str:
    """Return one section: its title, the page that answers it, and the names."""
    guide = f"Guide: :doc:`/user_guide/{page}`.\n\n" if page else ""
    return TEMPLATE.format(
        title=title,
        underline="-" * len(title),
        guide=guide,
        module=of,
        names="\n".join(f"   {name}" for name in names),
    )


def module_section(name: str) -> str:
    """Return the section of a module that is imported by its own name."""
    module = importlib.import_module(f"skrate.{name}")
    title, page = MODULES[name]
    names = sorted(module.__all__, key=str.lower)
    text = section(title, page, names, of=f"skrate.{name}")
    return f"\n.. module:: skrate.{name}\n{text}"
