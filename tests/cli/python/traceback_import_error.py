# SPDX-License-Identifier: Apache-2.0
from json import nothing_like_this
