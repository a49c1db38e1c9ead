"""Measurements by which overlays are compared, and the verifier; they share no code with the algorithms whose
results they measure. Each is loaded on first use.
"""

from typing import TYPE_CHECKING

from topicweave.lazy import loader

if TYPE_CHECKING:
    from topicweave.metrics.distances import TopicDistances as TopicDistances
    from topicweave.metrics.distances import topic_diameters as topic_diameters
    from topicweave.metrics.distances import topic_distances as topic_distances
    from topicweave.metrics.filtering import filtering_cost as filtering_cost
    from topicweave.metrics.satisfaction import Satisfaction as Satisfaction
    from topicweave.metrics.satisfaction import satisfies as satisfies
    from topicweave.metrics.summary import Measures as Measures
    from topicweave.metrics.summary import degree_distribution as degree_distribution
    from topicweave.metrics.summary import measure as measure
    from topicweave.metrics.summary import redundancy as redundancy
    from topicweave.metrics.verifier import Report as Report
    from topicweave.metrics.verifier import topic_components as topic_components
    from topicweave.metrics.verifier import verify as verify
    from topicweave.metrics.violations import Violation as Violation

_MODULE_OF = {
    "TopicDistances": "topicweave.metrics.distances",
    "topic_diameters": "topicweave.metrics.distances",
    "topic_distances": "topicweave.metrics.distances",
    "filtering_cost": "topicweave.metrics.filtering",
    "Satisfaction": "topicweave.metrics.satisfaction",
    "satisfies": "topicweave.metrics.satisfaction",
    "Measures": "topicweave.metrics.summary",
    "degree_distribution": "topicweave.metrics.summary",
    "measure": "topicweave.metrics.summary",
    "redundancy": "topicweave.metrics.summary",
    "Report": "topicweave.metrics.verifier",
    "topic_components": "topicweave.metrics.verifier",
    "verify": "topicweave.metrics.verifier",
    "Violation": "topicweave.metrics.violations",
}
__all__ = list(_MODULE_OF)
__getattr__ = loader(__name__, _MODULE_OF)
