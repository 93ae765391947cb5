import { fuzz } from "/work/wt/fuzz/packages/narratoria/test/fuzz/fuzz.ts";
const [file, name, inputs = "1000", seed = "1"] = process.argv.slice(2);
const mod = await import(`/work/wt/fuzz/packages/narratoria/test/fuzz/${file}.ts`);
const target = await mod[name!].open();
const t = performance.now(); const c = process.cpuUsage();
const r = await fuzz(target, { seed: Number(seed), inputs: Number(inputs), onInput: (i) => { (globalThis as any).last = i; } });
const d = process.cpuUsage(c);
console.log(r.tried, "tried", Math.round(performance.now() - t), "ms wall", Math.round((d.user + d.system) / 1000), "ms cpu", r.outcomes.size, "outcomes");
console.log([...r.outcomes].sort((a, b) => b[1] - a[1]).slice(0, 40).map(([k, v]) => `${v} ${k}`).join("\n"));
if (r.found) { console.log("FOUND", r.found.message.slice(0, 3000)); console.log(JSON.stringify(r.found.input.toString("latin1").slice(0, 1500)), r.found.input.length); }
await target.close();
