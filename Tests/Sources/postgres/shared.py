"""One cluster for all tests of a run; each test makes a database of its own in it."""

import atexit
import itertools
import os
import random

from cluster import Cluster

SEED = int(os.environ.get("ROWCAST_SEED", random.SystemRandom().randrange(1 << 32)))
_cluster = None
_numbers = itertools.count(1)


def cluster():
    global _cluster
    if _cluster is None:
        _cluster = Cluster()
        atexit.register(_cluster.stop)
    return _cluster


def database():
    """Makes an empty database and returns its name."""
    name = f"test{next(_numbers)}"
    cluster().sql(f"CREATE DATABASE {name}")
    return name
