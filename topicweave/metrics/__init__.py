"""Measurements by which overlays are compared, and the verifier; they share no code with the algorithms that they
judge.
"""

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
