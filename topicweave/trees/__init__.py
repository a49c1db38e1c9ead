"""Dissemination trees: because an overlay has cycles, each topic is deployed along one spanning tree of its members."""

from topicweave.trees.build import OBJECTIVES as OBJECTIVES
from topicweave.trees.build import trees as trees
from topicweave.trees.build import trees_from_arrow as trees_from_arrow
from topicweave.trees.checker import check_trees as check_trees
from topicweave.trees.difference import TreeChange as TreeChange
from topicweave.trees.difference import tree_changes as tree_changes
from topicweave.trees.failures import Failure as Failure
from topicweave.trees.failures import LinkFailure as LinkFailure
from topicweave.trees.failures import Standby as Standby
from topicweave.trees.failures import failures as failures
from topicweave.trees.failures import link_failures as link_failures
from topicweave.trees.failures import standby as standby
from topicweave.trees.result import Trees as Trees

__all__ = [
    "OBJECTIVES",
    "Failure",
    "LinkFailure",
    "Standby",
    "TreeChange",
    "Trees",
    "check_trees",
    "failures",
    "link_failures",
    "standby",
    "tree_changes",
    "trees",
    "trees_from_arrow",
]
