"""Workloads: synthetic interests made from a seed, social graphs, and samples of these."""

from topicweave.workloads.bfs import BfsSample as BfsSample
from topicweave.workloads.bfs import bfs_sample as bfs_sample
from topicweave.workloads.churn_traces import CHURN_TRACES as CHURN_TRACES
from topicweave.workloads.churn_traces import flash_crowd as flash_crowd
from topicweave.workloads.churn_traces import mass_leaves as mass_leaves
from topicweave.workloads.churn_traces import poisson_sessions as poisson_sessions
from topicweave.workloads.churn_traces import random_churn as random_churn
from topicweave.workloads.edge_list import EdgeList as EdgeList
from topicweave.workloads.edge_list import as_edge_list as as_edge_list
from topicweave.workloads.edge_list_file import read_edge_list as read_edge_list
from topicweave.workloads.popularity import POPULARITIES as POPULARITIES
from topicweave.workloads.popularity import topic_probabilities as topic_probabilities
from topicweave.workloads.social_graphs import social as social
from topicweave.workloads.synthetic import synthetic as synthetic
