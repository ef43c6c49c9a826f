"""What a metric is, and the tables of many lists."""
