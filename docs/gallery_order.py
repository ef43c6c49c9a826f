"""The order of the gallery: the main job first, then as the user guide goes."""

FIRST = (
    *("select_a_model.py", "plot_stopping.py", "plot_readers.py"),
    *("plot_virtual_screening.py", "plot_ranked_lists.py"),
    *("plot_budget_report.py", "plot_crossing_curves.py"),
    *("plot_fold_rankings.py", "plot_threshold.py"),
    *("plot_early_stopping.py", "plot_rate.py", "plot_fixed_recall.py"),
    *("plot_sample_size.py", "plot_consensus_curves.py", "plot_averages.py"),
    "plot_several_classes.py",
    *("plot_average_precision.py", "plot_partial_auc.py"),
    *("plot_compare_models.py", "plot_gain.py"),
    *("plot_markers.py", "plot_rankboost.py"),
    *("plot_what_metrics_weigh.py", "plot_auc_error_rate.py"),
    *("plot_large_data.py", "plot_parts.py", "plot_coarse_scores.py"),
)


class MainFirst:
    """Key of an example by its file; those not listed come last, by name."""

    def __init__(self, src_dir):
        self.src_dir = src_dir

    def __call__(self, filename):
        place = FIRST.index(filename) if filename in FIRST else len(FIRST)
        return place, filename

    def __repr__(self):
        return "MainFirst"
