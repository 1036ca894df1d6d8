"""Comparisons of halflife with its peers, side by side in one run: `scripts/bench NAME`. README.md has the figures.

In: documentation sets that Debian packages, and made-up ones. Out: ratios on standard output, raw figures in out/.
Never: the network, but for filling the peers' own environment on first use.
Start at: __main__.py for the list, crawl.py for the comparison with other crawlers.
"""
