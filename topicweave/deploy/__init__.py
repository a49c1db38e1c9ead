"""Deploy: from a plan to the configuration of running brokers."""

from topicweave.trees import Failure as Failure
from topicweave.trees import LinkFailure as LinkFailure
from topicweave.trees import Standby as Standby
from topicweave.trees import TreeChange as TreeChange
from topicweave.trees import Trees as Trees
from topicweave.trees import check_trees as check_trees
from topicweave.trees import failures as failures
from topicweave.trees import link_failures as link_failures
from topicweave.trees import standby as standby
from topicweave.trees import tree_changes as tree_changes
from topicweave.trees import trees as trees

__all__ = [
    "Failure", "LinkFailure", "Standby", "TreeChange", "Trees", "check_trees", "failures", "link_failures", "standby",
    "tree_changes", "trees",
]  # fmt: skip
