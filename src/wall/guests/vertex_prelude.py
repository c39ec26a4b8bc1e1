# SPDX-License-Identifier: Apache-2.0
# The imports that programs for ADK's Vertex executor expect. A package that this host lacks is left out.
import io
import math
import re

try:
    import matplotlib.pyplot as plt
except ImportError:
    pass
try:
    import numpy as np
except ImportError:
    pass
try:
    import pandas as pd
except ImportError:
    pass
try:
    import scipy
except ImportError:
    pass
