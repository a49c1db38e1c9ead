"""GM (PODC 2007), §8: average degree, running time, and how much correlated subscriptions save compared with rings."""
