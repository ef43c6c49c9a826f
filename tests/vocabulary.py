"""The names that public parameters may have: one name for one thing, everywhere.

scikit-learn's names where it has one, scipy's for statistics.
A new name needs a line here, and a reason why none of these will do.
"""

# What is passed by position: the data, in this order.
DATA = (
    "frame",  # of an engine, whose columns are the data
    "dataframe",
    "qrels",  # files of trec_eval
    "run",
    "metric",
    "curve",
    "comparison",
    "result",
    "estimator",
    "estimator_a",  # of two, as y_score_a
    "estimator_b",
    "search",  # an estimator that searches, whose candidates are asked
    "cv_results",
    "cv_results_a",  # of two, as y_score_a
    "cv_results_b",
    "rankings",  # what cross_val_rankings returns
    "X",
    "y_true",
    "y_judge",  # labels of the same samples by a judge
    "probability",  # of a label, or of a case to be positive
    "sensitivity",  # of labels; those of scores are recall and 1 - fpr
    "specificity",
    "y_trues",
    "y",
    "y_score",
    "y_scores",
    "y_score_a",
    "y_score_b",
    "fold",  # of each row, of which scores are compared with each other
    "scores_a",  # what group_scores returns of two, as y_score_a
    "scores_b",
    "batches",  # of cases, where they come a few at a time
)

SKLEARN = {
    "sample_weight",
    "pos_label",
    "groups",  # lists or queues
    "by",  # whose groups share one queue
    "clusters",  # of cases that are not independent
    "entities",  # of which each counts once in a group
    "response_method",
    "random_state",
    "n_jobs",
    "params",
    "verbose",
    "cv",
    "k",  # a cut: how many of the top
    "average",
    "labels",
    "indices",  # rows of the data, as cross_validate returns them
    "estimators",  # that were fitted, one for each fold
    "return_estimator",
    "n_estimators",
    "learning_rate",
    "n_iter_no_change",
    "tol",
    "validation_fraction",
    "max_bins",
    "scoring",
    "metrics",
    "relevance_threshold",
    "max_gap",  # between intervals of rates
    "max_groups",  # as max_bins, for groups of tied scores
    "normalize",  # per case, as of accuracy_score
}

DISPLAY = {
    "ax",
    "name",
    "names",
    "despine",
    "plot_chance_level",
    "plot_perfect",  # as plot_chance_level; scikit-learn's displays lack it
    "plot_momentum",  # the same
    "hits",  # what hit_curve returns
    "perfect",  # the same of the best order
    "tables",  # from which it came
    "title",  # of a page
    "others",  # what else it shows, by headings
    "space",
    "plot_bands",
    "plot_folds",
    "plot_fixed_width",  # the band of comparators, as plot_bands draws those of models
    "plot_isometrics",
    "plot_rate",
    "scores",  # what subgroup_scores returns
    "kind",
    "y_pred",
    "curves",
    "report",  # what budget_report returns
    "point",
    "class_ratios",
    "n_samples",
}

STATISTICS = {
    "n_resamples",
    "confidence_level",
    "share",  # of rankings: no confidence in anything
    "method",
    "alternative",
    "margin",
    "null_value",
    "reference",  # of models, the one that others are compared with
    "adjust",  # p-values, for their number; `method` is how they are found
    "interval",
    "stratify",
    "n_train",
    "n_test",
    "repeats",  # which folds are of one repeat; n_repeats says how many, not which
    "y_true_b",
    "half_width",  # of an interval that is planned
    "difference",  # of two models, that a test is to find
    "power",
    "planned_prevalence",  # `prevalence` is a parameter of some metrics
    "n_pos",
    "n_neg",
    "n_errors",
    "n_false_pos",
    "n_false_neg",
    "n_found",  # counts of a review: before a sample of the unread, and of it
    "n_unreviewed",
    "n_sampled",
    "n_hits",
    "target",  # a recall to be reached; `recall` is a parameter of some metrics
    "looks",  # at data that grow, which share an error
}

RATES = {
    "rate",
    "rates",
    "at",  # of a curve, whose axis may be that of rates, fpr or recall
    "of",
    "augment",
    "band",
    "bounds",
    "prevalence",
    "adjusted",
    "exact",
    "fpr",  # a point, a window or a weight on this axis, which rate is none of
    "tpr",
    "standardize",  # what scikit-learn does to a partial area without being asked
    "undefined",
    "rule",  # of a search, by which it selects
    "complexity",
    "min_defined",
    "alpha",
    "value",
    "to",
    "recall",
    "precision",  # that is asked for, as the recall above
    "momentum",
    "stamina",
    # of RankTable
    "pos",
    "neg",
    "thresholds",
    # of skrate.rates
    "x",
    "q",
    "a",
    "b",
    "r",
    "low",
    "high",
    "samples",
    "weights",
    "n",
    "base",
    "quantiles",
    "total",
    "n_items",  # the size of what is ranked
    "n_relevant",  # the relevant items of each list, also those without a row
    "capacity",  # of n_items those that can be processed; `rate` is their share
    "cost",
    "benefit",  # of what is found, as cost of what is processed
    "capped",  # whether a recall is divided by k at most
    "gain",  # of each case, or class, that is processed
    "confidence",
    "distribution",  # the family of a distribution
}

ENGINES = {
    "library",  # that calls a metric; ``engine`` would be what runs it
    "max_groups",
}

LABELS = {
    "prediction",  # of a label, by a model; `y_score` is what is evaluated
    "calibrate",  # predictions of labels
    "design",  # of a sample of labels
    "validation",  # of a test, by other cases
    "time",  # until an event, as scikit-survival
    "event",
    "horizon",
    "known",  # labels that there are already
    "known_probability",  # with which their cases were chosen
    "n_labels",  # to be drawn
    "floor",  # their share that is drawn at random
    "compare",  # the two models that labels are for
    "of_pos",  # what a case contributes as either class
    "of_neg",
}

VOCABULARY = set(DATA) | LABELS | SKLEARN | DISPLAY | STATISTICS | RATES | ENGINES
