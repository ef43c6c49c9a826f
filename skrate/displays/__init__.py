"""What is drawn; matplotlib is imported inside plot() only."""
