# SPDX-License-Identifier: Apache-2.0
import collections

colour = 1
collections.namedtuplo
