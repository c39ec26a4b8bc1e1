# SPDX-License-Identifier: Apache-2.0
def fail(e):
    raise e


errors = []
for e in (ValueError("one"), TypeError("two"), OSError(2, "No such file", "x")):
    try:
        fail(e)
    except Exception as caught:
        errors.append(caught)
raise ExceptionGroup("several", [errors[0], ExceptionGroup("nested", errors[1:])])
