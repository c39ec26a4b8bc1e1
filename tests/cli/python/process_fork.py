# SPDX-License-Identifier: Apache-2.0
import multiprocessing as mp


def square(x):
    return x * x


if __name__ == "__main__":
    mp.set_start_method("fork")
    with mp.Pool(2) as pool:
        print(pool.map(square, range(5)))
    q = mp.Queue()
    p = mp.Process(target=q.put, args=("from the child",))
    p.start()
    print(q.get())
    p.join()
    print(p.exitcode)
