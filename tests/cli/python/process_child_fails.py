# SPDX-License-Identifier: Apache-2.0
import multiprocessing as mp


def fail():
    raise ValueError("in the child")


if __name__ == "__main__":
    p = mp.get_context("fork").Process(target=fail, name="kid")
    p.start()
    p.join()
    print(p.exitcode)
