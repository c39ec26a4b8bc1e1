# SPDX-License-Identifier: Apache-2.0
import logging

logging.basicConfig(format="%(levelname)s %(name)s %(filename)s:%(lineno)d %(funcName)s %(message)s")
logging.warning("a warning")
log = logging.getLogger("mine")


def f():
    log.error("in f")
    try:
        1 / 0
    except ZeroDivisionError:
        log.exception("with a traceback")


f()
log.warning("with the stack", stack_info=True)
