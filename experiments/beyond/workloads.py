"""The workloads of all papers, and real data sets, by name."""

from __future__ import annotations

from experiments.part.samples import CORNELL_1K, FB_1K, TW_1K, TW_EGO_1K
from experiments.workload import Interested, Table, Workload

WORKLOADS: dict[str, Interested] = {
    "GM, LOW: uniform, 1,000 × 100, s=10": Workload(1_000, 100, "uniform", 10),
    "GM, LOW: Zipf 0.5, 1,000 × 100, s=10": Workload(1_000, 100, "zipf", 10, 0.5),
    "GM, LOW: exponential, 1,000 × 100, s=10": Workload(1_000, 100, "exponential", 10),
    "SHADOW: uniform, 2,000 × 200, s=10-90": Workload(2_000, 200, "uniform", (10, 90)),
    "PART: exponential, 2,000 × 1,000, s=20-600": Workload(2_000, 1_000, "exponential", (20, 600)),
    "PART: Zipf 2.0, 2,000 × 1,000, s=20-600": Workload(2_000, 1_000, "zipf", (20, 600), 2.0),
    "PART: uniform, 2,000 × 1,000, s=20-600": Workload(2_000, 1_000, "uniform", (20, 600)),
    "Facebook: 1,000 users of facebook_ego": FB_1K,
    "Facebook: 1,000 users of facebook_cornell": CORNELL_1K,
    "Twitter: 1,000 users of twitter_careers, directed": TW_1K,
    "Twitter: 1,000 users of twitter_ego, direction lost": TW_EGO_1K,
    "Last.fm: users × artists": Table("lastfm_artists.pairs.tsv.gz", 1_892, 17_632),
    "Twitch: users × interests": Table("twitch_interests.pairs.tsv.gz", 9_498, 2_514),
}
