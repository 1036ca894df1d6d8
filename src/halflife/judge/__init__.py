"""Judgements: does a page matter, and why.

In: pages, topics, settings. Out: judgements with their evidence.
Never: clock, socket, disk, hidden chance. Start at: `weight.py` (our mode), `weight_paper.py` (the seed's),
`topic.py` for what a topic is and `links.py` for what is expected of links.
"""

from halflife.judge.links import link_share, link_shares
from halflife.judge.match import topic_share
from halflife.judge.topic import Term, Topic, parse_topic
from halflife.judge.weight import WeightSettings, weigh
from halflife.judge.weight_paper import PaperSettings, weigh_paper

__all__ = [
    "PaperSettings",
    "Term",
    "Topic",
    "WeightSettings",
    "link_share",
    "link_shares",
    "parse_topic",
    "topic_share",
    "weigh",
    "weigh_paper",
]
