# SPDX-License-Identifier: Apache-2.0
import logging.handlers

target = logging.StreamHandler()
memory = logging.handlers.MemoryHandler(100, target=target)
log = logging.getLogger()
log.addHandler(memory)
log.warning("flushed by logging's own function at exit")
