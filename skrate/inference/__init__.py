"""The uncertainty of numbers: delta method, resampling, comparison."""
