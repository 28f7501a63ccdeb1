// The other side of `cargo xtask bench exec`: parses a script with acorn and walks the tree for calls of `tools.*`.
//   node bench.mjs warm FILE    the median and the best time in one process
//   node bench.mjs once         reads the script on stdin, once
import { readFileSync } from "node:fs";
import { parse } from "acorn";

const WARM_UP_MS = 500;
const MEASURED_MS = 2000;

function calls(source) {
  const tree = parse(source, { ecmaVersion: "latest", sourceType: "module" });
  let found = 0;
  const open = [tree];
  while (open.length > 0) {
    const node = open.pop();
    if (node.type === "CallExpression" && node.callee.type === "MemberExpression" && node.callee.object.name === "tools") {
      found += 1;
    }
    for (const key in node) {
      const value = node[key];
      if (value === null || typeof value !== "object") continue;
      if (Array.isArray(value)) {
        for (const item of value) if (item !== null && typeof item.type === "string") open.push(item);
      } else if (typeof value.type === "string") {
        open.push(value);
      }
    }
  }
  return found;
}

const [mode, file] = process.argv.slice(2);
if (mode === "once") {
  console.log(JSON.stringify({ calls: calls(readFileSync(0, "utf8")) }));
} else {
  const source = readFileSync(file, "utf8");
  const warm = performance.now();
  while (performance.now() - warm < WARM_UP_MS) calls(source);
  const times = [];
  const begun = performance.now();
  while (performance.now() - begun < MEASURED_MS) {
    const one = process.hrtime.bigint();
    calls(source);
    times.push(Number(process.hrtime.bigint() - one));
  }
  times.sort((a, b) => a - b);
  const median_ns = times[Math.floor(times.length / 2)];
  console.log(JSON.stringify({ bytes: Buffer.byteLength(source), calls: calls(source), median_ns, best_ns: times[0] }));
}
