const asked: string = (globalThis as any).Deno ? Deno.args[0] : process.argv[2];
const cells: string[] = Array.from({ length: 64 }, (_, i) => `"${i >> 3}${i & 7}"`);
console.log(
  asked.includes("init")
    ? '{"2":{"point":"14","orientation":"vertical"},"3":{"point":"05","orientation":"vertical"},"4":{"point":"10","orientation":"vertical"},"5":{"point":"00","orientation":"vertical"}}'
    : `{"move":${cells.find((cell) => !asked.includes(cell))}}`,
);
