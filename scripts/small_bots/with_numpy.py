"""The same, its cell chosen by numpy and the linear algebra that comes with it."""

import sys

import numpy as np

asked = sys.argv[1]
cells = [f'"{i // 8}{i % 8}"' for i in range(64)]
free = np.array([[cell not in asked for cell in cells]], dtype=float)
if "init" in asked:
    print(
        '{"2":{"point":"14","orientation":"vertical"},"3":{"point":"05","orientation":"vertical"},"4":{"point":"10","orientation":"vertical"},"5":{"point":"00","orientation":"vertical"}}'
    )
else:
    print(f'{{"move":{cells[int(np.argmax(free @ np.eye(64)))]}}}')
