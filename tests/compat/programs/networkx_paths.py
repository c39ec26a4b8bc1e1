# SPDX-License-Identifier: Apache-2.0
import networkx as nx
g = nx.Graph()
g.add_weighted_edges_from([("a", "b", 1), ("b", "c", 2), ("a", "c", 5)])
print(nx.shortest_path(g, "a", "c", weight="weight"), nx.degree_centrality(g))
print([sorted(part) for part in nx.connected_components(g)])
