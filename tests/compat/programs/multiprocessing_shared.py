# SPDX-License-Identifier: Apache-2.0
import multiprocessing as mp

def add(counter, lock):
    for _ in range(100):
        with lock:
            counter.value += 1

if __name__ == "__main__":
    context = mp.get_context("fork")
    counter, lock = context.Value("i", 0), context.Lock()
    workers = [context.Process(target=add, args=(counter, lock)) for _ in range(3)]
    for w in workers:
        w.start()
    for w in workers:
        w.join()
    print(counter.value, [w.exitcode for w in workers])
