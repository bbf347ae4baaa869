// The cell comes out of WebAssembly: (module (func (export "cell") (param i32) (result i32) local.get 0)).
const bytes = "0061736d0100000001060160017f017f03020100070801" + "0463656c6c00000a0601040020000b";
const { cell } = new WebAssembly.Instance(new WebAssembly.Module(Buffer.from(bytes, "hex"))).exports;
const asked = process.argv[2];
const cells = Array.from({ length: 64 }, (_, i) => `"${cell(i) >> 3}${cell(i) & 7}"`);
new WebAssembly.Memory({ initial: 1 }); // for which V8 reserves gigabytes
console.log(
  asked.includes("init")
    ? '{"2":{"point":"14","orientation":"vertical"},"3":{"point":"05","orientation":"vertical"},"4":{"point":"10","orientation":"vertical"},"5":{"point":"00","orientation":"vertical"}}'
    : `{"move":${cells.find((cell) => !asked.includes(cell))}}`,
);
