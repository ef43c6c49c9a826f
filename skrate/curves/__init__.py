"""Curves: from rank tables to curves and their bounds."""
