"""A fleet and shots from the first cell on, with forty threads that wait."""

import sys
import threading

stop = threading.Event()
for _ in range(40):
    threading.Thread(target=stop.wait).start()
asked = sys.argv[1]
cells = (f'"{i // 8}{i % 8}"' for i in range(64))
if "init" in asked:
    print(
        '{"2":{"point":"14","orientation":"vertical"},"3":{"point":"05","orientation":"vertical"},"4":{"point":"10","orientation":"vertical"},"5":{"point":"00","orientation":"vertical"}}'
    )
else:
    print(f'{{"move":{next(cell for cell in cells if cell not in asked)}}}')
stop.set()
