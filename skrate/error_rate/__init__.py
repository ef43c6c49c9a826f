"""The AUC of rankings of which only the number of errors is known."""
