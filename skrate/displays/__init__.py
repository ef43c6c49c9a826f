"""What is drawn; matplotlib is imported in pyplot.py only, when drawing."""
