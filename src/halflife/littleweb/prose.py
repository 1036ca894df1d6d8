"""Plain sentences on a topic, made from a seed: the same seed always gives the same words."""

from __future__ import annotations

import random
import re

from halflife.littleweb.words import SENTENCES, SLOTS

SENTENCES_A_PARAGRAPH = 3

_CHOICE = re.compile(r"\[([^\]]+)\]")  # [one|or the other]
_SLOT = re.compile(r"\{(\w+)\}")  # {place}


def prose(topic: str, seed: str, sentences: int = 9) -> list[str]:
    """Paragraphs on a topic. No pattern of a sentence is used twice before all were used."""
    rng = random.Random(f"{topic} {seed}")
    lines: list[str] = []
    while len(lines) < sentences:
        patterns = list(SENTENCES[topic])
        rng.shuffle(patterns)
        lines += [sentence(pattern, rng) for pattern in patterns[: sentences - len(lines)]]
    return [" ".join(lines[at : at + SENTENCES_A_PARAGRAPH]) for at in range(0, sentences, SENTENCES_A_PARAGRAPH)]


def sentence(pattern: str, rng: random.Random) -> str:
    """One sentence from a pattern with [choices|to make] and {slots} to fill."""
    chosen = _CHOICE.sub(lambda found: rng.choice(found[1].split("|")), pattern)
    return _SLOT.sub(lambda found: rng.choice(SLOTS[found[1]]), chosen)
