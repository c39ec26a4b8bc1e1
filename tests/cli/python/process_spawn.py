# SPDX-License-Identifier: Apache-2.0
import multiprocessing as mp


def square(x):
    return x * x


class Thing:
    def __init__(self, x):
        self.x = x


def send(q):
    q.put(Thing(5))


if __name__ == "__main__":
    context = mp.get_context("spawn")
    with context.Pool(2) as pool:
        print(pool.map(square, range(5)))
    q = context.Queue()
    p = context.Process(target=send, args=(q,))
    p.start()
    print(q.get().x)
    p.join()
    print(p.exitcode)
