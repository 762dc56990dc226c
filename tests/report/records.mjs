// Records and data to make reports of: what the program wrote, and what is made up from that.
import {readFileSync, writeFileSync, mkdirSync} from 'node:fs';
import {dirname} from 'node:path';

export const read = path => JSON.parse(readFileSync(path, 'utf8'));
export function write(path, record) {
  mkdirSync(dirname(path), {recursive: true});
  writeFileSync(path, typeof record === 'string' || Buffer.isBuffer(record) ? record : JSON.stringify(record));
  return path;
}
const copy = value => JSON.parse(JSON.stringify(value));

// A record of pictures as a run writes it: with inducing points, lengthscales and curves.
export function withPictures(record, points = 24) {
  const out = copy(record);
  out.runs.forEach((run, r) => run.tasks.forEach((task, t) => {
    const epochs = 20 + 5 * t;
    const each = f => Array.from({length: epochs}, (_, e) => f(e + 1));
    task.curve = {
      epoch: each(e => e), bound: each(e => -4000 / e - 500), ell: each(e => -3000 / e - 200),
      kl_u: each(e => 300 + e), kl_hyper: each(e => 5 / e), validation: each(e => 1 - .3 / e),
    };
    task.lengthscales = Array.from({length: 784}, (_, d) => 2 + Math.hypot(d % 28 - 14, d / 28 - 14));
    task.log_lengthscale_deviations = task.lengthscales.map(l => .01 * l);
    if (r === 0) task.inducing_images = {rows: 28, cols: 28, pixels: Array.from({length: points}, (_, k) =>
      Buffer.from(Array.from({length: 784}, (_, d) => Math.hypot(d % 28 - 14, Math.floor(d / 28) - 14) < 4 + k % 8 ? 230 : 10)).toString('base64'))};
  }));
  return out;
}

// The same under another name, a little worse with every one.
export function renamed(record, model, worse = 0) {
  const out = copy(record);
  out.model = model;
  const less = v => Math.max(0, v - worse);
  for (const run of out.runs) {
    run.model = model;
    run.accuracy_matrix = run.accuracy_matrix.map(row => row.map(less));
    run.tasks.forEach(task => { task.final_accuracy = less(task.final_accuracy); });
  }
  return out;
}

// As many seeds as asked for, from those that are there.
export function seeded(record, seeds) {
  const out = copy(record);
  out.runs = Array.from({length: seeds}, (_, s) => ({...copy(record.runs[s % record.runs.length]), seed: s + 1}));
  return out;
}

// Names that would harm if they were taken for more than words.
export const HOSTILE = [
  '</script><script>window.harmed = 1</script><img src=x onerror="window.harmed = 1">',
  `"quotes" 'and' \`ticks\` ={1+1}, \\u003c & {{report}}`,
  '=cmd() נכון \u202Eمعكوس',
  '__proto__',
  'a.b[0]',
];

// Rows as the text of a CSV file, every cell in quotes.
export const csv = rows => rows.map(r => r.map(c => `"${String(c).replaceAll('"', '""')}"`).join(',')).join('\n') + '\n';

// Bytes as an IDX file of this shape.
export function idx(shape, bytes) {
  const head = Buffer.alloc(4 + 4 * shape.length);
  head.set([0, 0, 8, shape.length]);
  shape.forEach((n, i) => head.writeUInt32BE(n, 4 + 4 * i));
  return Buffer.concat([head, Buffer.from(bytes)]);
}
