"""Near-optimal overlays: certified lower bounds, and a search for overlays with fewer links."""

from topicweave.optimise.bound import lower_bound as lower_bound
from topicweave.optimise.certificate import Bound as Bound
from topicweave.optimise.certificate import Certificate as Certificate
from topicweave.optimise.improve import improve as improve
