"""A fleet and shots from the first free cell on, beside forty threads that wait or by numpy and the
linear algebra that comes with it: python first_free.py threads|numpy QUESTION."""

import sys
import threading

load, asked = sys.argv[1:]
stop = threading.Event()
cells = [f'"{i // 8}{i % 8}"' for i in range(64)]
free = [cell not in asked for cell in cells]
if load == "numpy":
    import numpy as np

    free = list(np.array(free, dtype=float) @ np.eye(64) > 0)
else:
    for _ in range(40):
        threading.Thread(target=stop.wait).start()
if "init" in asked:
    print(
        '{"2":{"point":"14","orientation":"vertical"},"3":{"point":"05","orientation":"vertical"},"4":{"point":"10","orientation":"vertical"},"5":{"point":"00","orientation":"vertical"}}'
    )
else:
    print(f'{{"move":{cells[free.index(True)]}}}')
stop.set()
