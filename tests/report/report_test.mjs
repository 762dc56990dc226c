// Opens reports in a headless Chromium, as people do.
//   node --test report_test.mjs, with VARGP (the program), SOURCE (the project) and SCRATCH (a folder
//   to write to); see run.sh. Screenshots are left in SCRATCH/screenshots.
import assert from 'node:assert/strict';
import {execFileSync, spawn} from 'node:child_process';
import {existsSync, mkdirSync, readFileSync, rmSync, statSync} from 'node:fs';
import {createRequire} from 'node:module';
import {cpus, loadavg} from 'node:os';
import {join} from 'node:path';
import {after, before, describe, test} from 'node:test';
import {chromium} from 'playwright-core';
import {csv, HOSTILE, idx, read, renamed, seeded, withPictures, write} from './records.mjs';

const {VARGP, SOURCE, SCRATCH} = process.env;
const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const PHONE = {width: 390, height: 844}, DESKTOP = {width: 1280, height: 900};
const results = join(SOURCE, 'docs/results'), shots = join(SCRATCH, 'screenshots');
const vargp = (...args) => execFileSync(VARGP, args, {encoding: 'utf8'});

let browser;
const files = {};
before(async () => {
  rmSync(SCRATCH, {recursive: true, force: true});
  mkdirSync(shots, {recursive: true});
  const report = (name, ...records) => {
    files[name] = join(SCRATCH, `${name}.html`);
    vargp('report', ...records, '--out', files[name]);
  };
  for (const model of ['coupled', 'var-gp'])
    vargp('run', 'toy', '--preset', 'quick', '--model', model, '--out', join(SCRATCH, 'toy', model));
  report('toy', join(SCRATCH, 'toy'));
  const split = withPictures(read(join(results, 'split-mnist-coupled-default.json')));
  report('split', write(join(SCRATCH, 'split.json'), split));
  report('three', ...['coupled-default', 'coupled-quick', 'var-gp-default'].map(n => join(results, `split-mnist-${n}.json`)));
  report('many', ...Array.from({length: 8}, (_, i) =>
    write(join(SCRATCH, `many/${i}.json`), renamed(withPictures(seeded(split, 5)), `model ${i + 1}`, .01 * i))));
  report('hostile', ...HOSTILE.slice(0, 3).map((name, i) => write(join(SCRATCH, `hostile/${i}.json`), renamed(split, name, .01 * i))));
  models();
  browser = await chromium.launch({executablePath: process.env.CHROMIUM || '/usr/bin/chromium', args: ['--no-sandbox']});
});
after(() => browser?.close());

// Pages about models of people's own data: one year of weather after the other (classes, and a
// number to predict), names that would harm, and pictures.
function models() {
  const file = name => join(SCRATCH, 'models', name);
  const learn = (name, task, ...options) => {
    files[name] = file(`${name}.html`);
    vargp('learn', file(`${name}.vargp`), task, '--report', files[name], ...options);
  };
  const [head, ...days] = readFileSync(join(SOURCE, 'docs/data/seattle-weather.csv'), 'utf8').trim().split('\n');
  for (const year of [2012, 2013, 2014, 2015]) {
    const task = file(`${year}.csv`), first = year === 2012;
    write(task, [head, ...days.filter(d => d.startsWith(year))].join('\n'));
    learn('weather', task, '--ignore', 'date', ...(first ? ['--label', 'weather', '--ard', 'true'] : []));
    learn('temperature', task, '--ignore', 'date', ...(first ? ['--label', 'temp_max', '--regression'] : []));
  }
  const label = ['label', ...HOSTILE];
  [3, 12].forEach((classes, task) => {  // some of them numbers
    const rows = Array.from({length: 240}, (_, i) => [HOSTILE[i % classes] || i % classes, ...HOSTILE.map((_, d) => (i % classes - d) + .3 * Math.sin(i * (d + 1)))]);
    write(file(`${task} ${HOSTILE[2]}.csv`), csv([label, ...rows]));
    learn('names', file(`${task} ${HOSTILE[2]}.csv`), ...(task ? [] : ['--label', 'label', '--ard', 'true']));
  });
  const pictures = Array.from({length: 80}, (_, i) => Array.from({length: 64}, (_, p) => (p % 8 < 4) === (i % 2 === 0) ? 200 + i % 50 : i % 20));
  write(file('t-images-idx3-ubyte'), idx([80, 8, 8], pictures.flat()));
  write(file('t-labels-idx1-ubyte'), idx([80], pictures.map((_, i) => i % 2)));
  learn('pictures', file('t-images-idx3-ubyte'));
}

// A page, what it said on the console, what it asked the network for, and how long it took to open.
async function open(name, options = {}) {
  const context = await browser.newContext({viewport: DESKTOP, acceptDownloads: true, bypassCSP: false, ...options});
  context.setDefaultTimeout(120_000);  // the machine may be busy
  const page = await context.newPage();
  const said = [], asked = [];
  page.on('console', m => said.push(`${m.type()}: ${m.text()}`));
  page.on('pageerror', e => said.push(`error: ${e.message}`));
  page.on('request', r => { if (!/^(data|blob):/.test(r.url())) asked.push(r.url()); });
  const began = Date.now();
  await page.goto(`file://${files[name]}`);
  await page.waitForSelector('.chart[data-state=drawn]');
  const opened = Date.now() - began;
  await page.waitForFunction(() => [...document.querySelectorAll('.chart')].every(c => c.dataset.state !== 'waiting'));
  return {page, context, said, asked, opened, data: JSON.parse(await page.textContent('#report'))};
}
async function quiet(name, options) {
  const opened = await open(name, options);
  const states = await opened.page.$$eval('.chart', charts => charts.map(c => c.dataset.state));
  assert.ok(states.length > 0);
  assert.ok(states.every(s => s === 'drawn'), `charts: ${states}`);
  assert.deepEqual(opened.said, []);
  assert.deepEqual(opened.asked, [`file://${files[name]}`]);
  return opened;
}
async function download(page, figure, button) {
  const waiting = page.waitForEvent('download');
  await page.click(`#${figure} .tools >> text=${button}`);
  const file = await waiting;
  return {name: file.suggestedFilename(), bytes: readFileSync(await file.path())};
}
// The cells of a CSV without quoted commas.
const cells = text => text.trim().split('\r\n').map(line => line.split(','));

const SIZES = {phone: PHONE, desktop: DESKTOP}, BOTH = Object.keys(SIZES);
const SHOWN = {toy: BOTH, split: BOTH, three: BOTH, hostile: BOTH, many: ['desktop'],
               weather: BOTH, temperature: BOTH, names: BOTH, pictures: ['desktop']};
for (const [name, sizes] of Object.entries(SHOWN)) describe(name, () => {
  for (const size of sizes) {
    const viewport = SIZES[size];
    test(`draws every chart at ${size} width, says nothing, asks nothing, stays in the window`, async () => {
      const {page, context, data} = await quiet(name, {viewport, colorScheme: size === 'phone' ? 'dark' : 'light'});
      const figures = data.sections.flatMap(s => s.figures);
      assert.equal(await page.locator('.chart svg').count(), figures.filter(f => f.kind !== 'table').length);
      for (const svg of await page.$$('.chart svg')) {
        const box = await svg.boundingBox();
        assert.ok(box.width > 100 && box.height > 60, JSON.stringify(box));
        assert.ok(box.x >= 0 && box.x + box.width <= viewport.width + 1, `wider than the window: ${JSON.stringify(box)}`);
      }
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'the page scrolls sideways');
      const powers = (await page.locator('.chart svg text').allTextContents()).filter(t => /^\d\S*e[+-]?\d+$/.test(t));
      assert.deepEqual(powers, [], 'numbers that nobody reads');
      await page.screenshot({path: join(shots, `${name}-${size}.png`), fullPage: true});
      await context.close();
    });
  }
});

// Between them they have every kind of chart.
for (const [name, colorScheme] of [['toy', 'light'], ['split', 'dark'], ['weather', 'light']])
  test(`${name}: no serious accessibility fault in ${colorScheme} colours`, async () => {
    const {page, context} = await open(name, {colorScheme, bypassCSP: true});  // axe is ours, not the page's
    await page.click('.tools >> text=Table >> nth=0');
    await page.$$eval('details', all => all.forEach(d => { d.open = true; }));
    await page.addScriptTag({path: AXE});
    const found = await page.evaluate(() => axe.run(document, {resultTypes: ['violations']}));
    const serious = found.violations.filter(v => ['serious', 'critical'].includes(v.impact));
    assert.deepEqual(serious.map(v => `${v.id}: ${v.nodes[0].html.slice(0, 200)}`), []);
    await context.close();
  });

test('the chart, its table and its CSV hold the numbers of the records', async () => {
  const {page, context} = await quiet('three');
  const record = read(join(results, 'split-mnist-var-gp-default.json'));
  const mean = list => list.reduce((a, b) => a + b) / list.length;
  const last = mean(record.runs.map(r => r.tasks.at(-1).final_accuracy));
  const csv = cells((await download(page, 'accuracy', 'CSV')).bytes.toString());
  assert.deepEqual(csv[0], ['model', 'task', 'accuracy', 'standard deviation', 'seeds']);
  const row = csv.find(r => r[0] === 'var-gp' && r[1] === '5');
  assert.ok(Math.abs(row[2] - last) < 1e-9);
  assert.equal(row[4], String(record.runs.length));
  await page.click('#accuracy .tools >> text=Table');
  const shown = await page.$$eval('#accuracy tbody tr', rows => rows.map(r => r.innerText));
  assert.ok(shown.some(r => r.includes('var-gp') && r.includes((100 * last).toFixed(2) + ' %')), shown.join('\n'));
  // Marks name what they show.
  const marks = await page.$$eval('#accuracy svg [aria-label]', all => all.map(e => e.getAttribute('aria-label')));
  assert.ok(marks.some(m => m.includes('var-gp') && m.includes(`${+(100 * last).toFixed(4)}%`)), marks.join('\n'));
  const entropy = mean(record.runs.map(r => r.entropy_matrix[0][4])).toFixed(2);
  assert.ok((await page.locator('#entropy-matrix svg text').allTextContents()).includes(entropy));
  await context.close();
});

test('the toy surfaces hold every probability, and the points', async () => {
  const {page, context, data} = await quiet('toy');
  const record = read(join(SCRATCH, 'toy/coupled/record.json')).runs[0];
  const csv = cells((await download(page, 'surfaces', 'CSV')).bytes.toString());
  assert.equal(csv.length - 1, 2 * 2 * 4 * 61 * 61);
  const [, task, c, x, y, p] = csv[1 + 61 * 61 * 6 + 61 * 10 + 7];  // of coupled: task 2, class 2
  assert.deepEqual([task, c, x, y].map(Number), [2, 2, -3 + .1 * 7, -3 + .1 * 10].map(v => +v.toFixed(6)));
  assert.equal(+p, record.surfaces[1][2][10][7]);
  assert.equal(data.sections[0].figures.find(f => f.id === 'surfaces').points.length, 200);
  assert.equal(await page.locator('#surfaces svg image').count(), 16);
  await context.close();
});

test('pictures of inducing points are drawn and saved with their pixels', async () => {
  const {page, context} = await quiet('split');
  assert.equal(await page.locator('#inducing svg image').count(), 5);
  const csv = cells((await download(page, 'inducing', 'CSV')).bytes.toString());
  assert.equal(csv.length - 1, 5 * 24 * 784);
  await page.click('#inducing .tools >> text=Table');
  assert.equal(await page.locator('#inducing tbody tr').count(), 200);
  assert.match(await page.textContent('#inducing .note'), /94,080 rows; the CSV has all/);
  await context.close();
});

// A page of its own for each: Chromium holds back downloads when one page asks for many.
test('every chart can be saved as SVG and PNG', async () => {
  for (const name of ['toy', 'split']) {
    const {context: first, data} = await quiet(name);
    await first.close();
    for (const {id} of data.sections[0].figures.filter(f => f.kind !== 'table')) {
      const {page, context, said} = await quiet(name);
      const svg = await download(page, id, 'SVG'), png = await download(page, id, 'PNG');
      assert.equal(svg.name, `${id}.svg`);
      assert.match(svg.bytes.toString().slice(0, 200), /^<svg /);
      assert.equal(png.bytes.toString('latin1', 1, 4), 'PNG');
      assert.ok(png.bytes.length > 2000, `${id}: ${png.bytes.length} bytes`);
      assert.deepEqual(said, []);
      await context.close();
    }
  }
});

test('hostile labels stay words', async () => {
  const {page, context} = await quiet('hostile');
  assert.equal(await page.evaluate(() => window.harmed), undefined);
  assert.equal(await page.locator('main img, main script').count(), 0);
  const names = await page.$$eval('.scroll tbody tr td:first-child', all => all.slice(0, 3).map(e => e.textContent));
  assert.ok(names[0].startsWith('</script><script>window.harmed'));
  assert.ok(names[1].includes('`ticks`'));
  const csv = (await download(page, 'accuracy', 'CSV')).bytes.toString();
  assert.ok(csv.includes("'=cmd()") && csv.includes('""quotes""'), csv.slice(0, 2000));
  await context.close();
});

test('the page of a model says what inspect says', async () => {
  const {page, context} = await quiet('weather');
  const model = JSON.parse(vargp('inspect', files.weather.replace('.html', '.vargp'), '--json'));
  const summary = (await page.textContent('.summary')).replaceAll('\u00a0', ' ');
  assert.match(summary, /predicts weather \(5 classes\) from 4 inputs\. It has learned 1,461 rows in 4 tasks/);
  const last = model.tasks.at(-1);
  assert.ok(summary.includes((100 * last.validation_accuracy).toFixed(2) + ' %'), summary);
  const [head, ...rows] = cells((await download(page, 'rows', 'CSV')).bytes.toString());
  assert.deepEqual(head, ['task', 'source', 'class', 'rows', 'new class']);
  assert.equal(rows.length, model.tasks.flatMap(t => Object.keys(t.class_rows)).length);
  for (const [task, source, name, count] of rows) {
    assert.equal(+count, model.tasks[task - 1].class_rows[name]);
    assert.equal(source, model.tasks[task - 1].source);
  }
  const moved = await page.$$eval('#moved svg [aria-label]', all => all.map(e => e.getAttribute('aria-label')));
  assert.ok(moved.some(m => m.includes(`${+(100 * model.tasks[0].moved.distance).toFixed(2)}`)), moved.join('\n'));
  // A table of some inducing points, in the units of the columns, the shortest lengthscale first.
  const scales = model.theta.lengthscales.sort((a, b) => a.lengthscale - b.lengthscale);
  const labels = await page.locator('#inducing th').allTextContents();
  assert.deepEqual(labels, ['task', 'point', ...scales.map(l => l.input)]);
  assert.equal(await page.locator('#inducing tbody tr').count(), 4 * 5);
  const shown = await page.locator('#inducing tbody tr').first().locator('td').allTextContents();
  const z = model.inducing_inputs[0][0][model.inputs.indexOf(scales[0].input)];
  assert.ok(Math.abs(shown[2] - z) < 1e-3 * scales[0].lengthscale_in_units, `${shown[2]} ${z}`);
  const units = await page.locator('#inputs svg text').allTextContents();
  assert.ok(units.includes(String(+scales[0].lengthscale_in_units.toPrecision(3))), units.join(' '));
  await context.close();
});

test('the page of a regression speaks of errors, not of classes', async () => {
  const {page, context} = await quiet('temperature');
  const text = await page.innerText('main');
  assert.match(text, /predicts temp_max \(a number\) from 8 inputs/);
  assert.match(text, /root mean squared error/);
  assert.doesNotMatch(text, /class/);
  await context.close();
});

test('hostile names of classes, columns and files stay words', async () => {
  const {page, context} = await quiet('names');
  assert.equal(await page.evaluate(() => window.harmed), undefined);
  assert.equal(await page.locator('main img, main script').count(), 0);
  assert.ok((await page.locator('#inducing th').allTextContents()).some(t => t.startsWith('</script>')));
  assert.ok((await page.locator('#rows svg text').allTextContents()).some(t => t === '5 other classes'));
  await page.hover('#rows svg .mark-rect path >> nth=0');
  assert.match(await page.textContent('#vg-tooltip-element'), /rows/);
  assert.equal(await page.locator('#vg-tooltip-element img').count(), 0);
  const text = (await download(page, 'rows', 'CSV')).bytes.toString();
  assert.ok(text.includes("'=cmd()") && text.includes('""quotes""'), text.slice(0, 2000));
  await context.close();
});

test('the policy stops what is not the report', async () => {
  const {page, context} = await open('toy');
  const ran = await page.evaluate(() => new Promise(resolve => setTimeout(() => {  // as the page itself would
    const script = document.createElement('script');
    script.textContent = 'window.harmed = 1';
    document.body.append(script);
    let evaluated = true;
    try { (0, eval)('1'); } catch { evaluated = false; }
    resolve([window.harmed, evaluated]);
  })));
  assert.deepEqual(ran, [undefined, false]);
  await context.close();
});

test('8 models with 5 seeds: below 8 MB, open within 2 s', async () => {
  assert.ok(statSync(files.many).size < 8e6, `${statSync(files.many).size} bytes`);
  // The best of three. Where programs wait for a processor, this one does too.
  const limit = 2000 * Math.max(1, loadavg()[0] / cpus().length);
  const times = [];
  while (times.length < 3 && !times.some(t => t < limit)) {
    const {opened, context} = await open('many');
    times.push(opened);
    await context.close();
  }
  assert.ok(times.some(t => t < limit), `${times} ms, at most ${limit}`);
});

test('works by keyboard', async () => {
  const {page, context} = await quiet('toy');
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement.className), 'skip');
  await page.focus('#accuracy .tools button');
  await page.keyboard.press('Enter');
  assert.ok(await page.isVisible('#accuracy table'));
  await page.keyboard.press('Space');
  assert.ok(!await page.isVisible('#accuracy table'));
  await page.focus('#theme');
  await page.keyboard.press('Enter');
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark');
  await page.focus('#settings-0 summary');
  await page.keyboard.press('Enter');
  assert.ok(await page.isVisible('#settings-0 table'));
  await context.close();
});

test('--watch serves this machine, and the page renews itself', async () => {
  const folder = join(SCRATCH, 'watched');
  const record = read(join(SCRATCH, 'toy/coupled/record.json'));
  const half = {...record, runs: record.runs.map(r => ({seed: r.seed, accuracy_matrix: r.accuracy_matrix.slice(0, 1)}))};
  mkdirSync(folder, {recursive: true});
  const server = spawn(VARGP, ['report', '--watch', folder]);
  try {
    const url = await new Promise((resolve, reject) => {
      server.stdout.on('data', text => { const m = /http:\S+/.exec(text); if (m) resolve(m[0]); });
      server.on('exit', code => reject(new Error(`ended with ${code}`)));
    });
    assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\/$/);
    const context = await browser.newContext();
    context.setDefaultTimeout(120_000);
    const page = await context.newPage();
    const said = [];
    page.on('console', m => said.push(m.text()));
    await page.goto(url);
    assert.match(await page.textContent('h1'), /Nothing to show yet/);
    write(join(folder, 'progress.json'), half);
    await page.waitForSelector('text=has learned 1 of 2 tasks so far');
    write(join(folder, 'record.json'), record);
    await page.waitForSelector('text=learned 2 tasks in');
    await page.waitForSelector('.chart[data-state=drawn]');
    assert.deepEqual(said.filter(s => !/404|favicon/.test(s)), []);
    const {request} = await import('node:http');
    const status = await new Promise(resolve => request(url, {headers: {Host: 'example.org'}}, r => resolve(r.statusCode)).end());
    assert.equal(status, 403);
    await context.close();
  } finally {
    server.kill('SIGINT');
  }
});

test('vargp run leaves a report and no progress', () => {
  assert.ok(existsSync(join(SCRATCH, 'toy/coupled/report.html')));
  assert.ok(!existsSync(join(SCRATCH, 'toy/coupled/progress.json')));
  assert.match(vargp('report', '--text', join(SCRATCH, 'toy')), /^Toy data\n\n/);
});
