"""Samples of social graphs, in which every user is both a node and a topic."""

from __future__ import annotations

from experiments.workload import Social

EGO, CORNELL = "facebook_ego.edges.txt.gz", "facebook_cornell.pairs.tsv.gz"
TWITTER_EGO, CAREERS = "twitter_ego.pairs.tsv.gz", "twitter_careers.pairs.tsv.gz"

FB_1K, FB_10K = Social(EGO, 1_000), Social(CORNELL, 10_000)
TW_1K, TW_10K = Social(CAREERS, 1_000, directed=True), Social(CAREERS, 10_000, directed=True)
TW_EGO_1K, TW_EGO_10K = Social(TWITTER_EGO, 1_000), Social(TWITTER_EGO, 10_000)
CORNELL_1K = Social(CORNELL, 1_000)

WORDS = {
    FB_1K: "FB 1K: 1,000 users of facebook_ego",
    FB_10K: "FB 10K: 10,000 users of facebook_cornell",
    TW_1K: "TW 1K: 1,000 users of twitter_careers, directed",
    TW_10K: "TW 10K: 10,000 users of twitter_careers, directed",
    TW_EGO_1K: "TW 1K: 1,000 users of twitter_ego, direction lost",
    TW_EGO_10K: "TW 10K: 10,000 users of twitter_ego, direction lost",
    CORNELL_1K: "1,000 users of facebook_cornell, for comparison",
}
BY_BFS = "; several breadth-first samples, each grown from one user (the paper grows one sample from a few users)"
