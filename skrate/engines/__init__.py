"""Tables of data that lie on a cluster, or in files larger than memory."""
