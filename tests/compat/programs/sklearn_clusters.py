# SPDX-License-Identifier: Apache-2.0
import numpy as np
from sklearn.cluster import KMeans
from sklearn.metrics import silhouette_score
points = np.array([[0, 0], [0, 1], [10, 10], [10, 11]], dtype=float)
model = KMeans(n_clusters=2, n_init=5, random_state=0).fit(points)
print(sorted(model.cluster_centers_.tolist()), round(silhouette_score(points, model.labels_), 4))
