"""GM (PODC 2007), §8: average degree, running time, and what correlation saves compared with rings."""
