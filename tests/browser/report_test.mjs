// SPDX-License-Identifier: Apache-2.0
// Opens reports in a real browser, as a reader would: offline, light and dark, wide and narrow, printed.
//   node report_test.mjs PROGRAM CONFIGS OUTPUT_DIRECTORY
// Exit code 77: something that the test needs is not on this machine.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const skip = (why) => { console.log(`skipped: ${why}`); process.exit(77); };

const [program, configs, folder] = process.argv.slice(2);
const browserPath = process.env.CLUSTERWRIGHT_BROWSER ??
  ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) => existsSync(path));
if (!browserPath) skip('no browser');

let chromium, axe;
try {
  ({ chromium } = await import('playwright-core'));
  axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
} catch {
  skip('playwright-core or axe-core is missing: npm ci in tests/browser');
}

let failures = 0;
let checks = 0;
const check = (holds, what) => {
  ++checks;
  if (holds) return;
  ++failures;
  console.error(`FAILED: ${what}`);
};

mkdirSync(folder, { recursive: true });
const scenario = join(configs, 'scenarios', 'llama3-405b-h100.json');
const runWith = (code, ...words) => {
  const done = spawnSync(program, [...words, '--quiet'], { env: { ...process.env, CLUSTERWRIGHT_CONFIGS: configs }, encoding: 'utf8' });
  if (done.status !== code) throw new Error(`${words.join(' ')}: exit code ${done.status}\n${done.stderr}`);
};
const run = (...words) => runWith(0, ...words);
run('scale', scenario, '--gpus', '192,1024..16384x2', '-o', join(folder, 'scale.html'), '-o', join(folder, 'scale.json'));
run('run', scenario, '-o', join(folder, 'run.html'), '-o', join(folder, 'run.json'));
const measured = ['collectives', 'gemm', 'training-tpu', 'memory-footprint'].map((name) => join(configs, '..', 'calibration', 'measurements', `${name}.json`));
run('validate', '--cross', '--cases', ...measured, '-o', join(folder, 'validation.html'), '-o', join(folder, 'validation.json'));

const cluster = join(configs, 'clusters', 'gb200-nvl72-9racks.json');
run('size', scenario, '-o', join(folder, 'size.html'), '-o', join(folder, 'size.json'));
run('size', cluster, '-o', join(folder, 'size-cluster.html'), '-o', join(folder, 'size-cluster.json'));
const blueprint = join(configs, 'blueprints', 'dense-500b-1200-h100.json');
runWith(1, 'audit', blueprint, '-o', join(folder, 'audit.html'), '-o', join(folder, 'audit.json'));  // not all claims hold

const browser = await chromium.launch({
  executablePath: browserPath,
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
         '--disable-component-update', '--disable-sync'],
});

/** Opens a report and reports errors and requests. @returns the page, to be looked at further */
async function open(name, options) {
  const context = await browser.newContext({ offline: true, ...options });
  const page = await context.newPage();
  const seen = { errors: [], requests: [] };
  page.on('console', (message) => { if (['error', 'warning'].includes(message.type())) seen.errors.push(message.text()); });
  page.on('pageerror', (error) => seen.errors.push(String(error)));
  page.on('request', (request) => seen.requests.push(request.url()));
  await page.goto(pathToFileURL(resolve(folder, `${name}.html`)).href);
  return { page, context, seen };
}

async function checkPage(name, charts) {
  for (const colorScheme of ['light', 'dark'])
    for (const width of [1280, 400]) {
      const what = `${name}, ${colorScheme}, ${width} px`;
      const { page, context, seen } = await open(name, { colorScheme, viewport: { width, height: 900 } });
      check(seen.errors.length === 0, `${what}: console says ${seen.errors}`);
      check(seen.requests.length === 1, `${what}: requests ${seen.requests}`);
      check(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), `${what}: scrolls sideways`);
      // Drawings of racks are one for each kind of rack.
      check((await page.locator('svg[role=img]:visible:not([aria-labelledby^="rack-"])').count()) === charts, `${what}: charts`);
      const racks = await page.locator('svg[aria-labelledby^="rack-"]:visible').count();
      check(name.startsWith('size') ? racks >= 3 && racks <= 12 : racks === 0, `${what}: kinds of racks`);
      for (const svg of await page.locator('svg[role=img]:visible').all())
        check(await svg.evaluate((s) => s.querySelector('title').textContent && s.querySelector('desc').textContent), `${what}: words of a chart`);
      const ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number)[0]);
      check(colorScheme === 'dark' ? ground < 60 : ground > 200, `${what}: background ${ground}`);
      const clipped = await page.evaluate(() => [...document.querySelectorAll('svg.chart')].filter((s) => s.checkVisibility())
        .flatMap((s) => [...s.querySelectorAll('text')].filter((t) => {
          const a = t.getBoundingClientRect(), b = s.getBoundingClientRect();
          return a.left < b.left - 1 || a.right > b.right + 1;
        }).map((t) => t.textContent)));
      check(clipped.length === 0, `${what}: labels outside their chart: ${clipped}`);
      await page.screenshot({ path: join(folder, `${name}-${colorScheme}-${width}.png`), fullPage: true });
      await context.close();
      await checkAccessible(name, colorScheme, width);
    }
}

async function checkAccessible(name, colorScheme, width) {
  const { page, context } = await open(name, { colorScheme, viewport: { width, height: 900 }, bypassCSP: true });
  await page.addScriptTag({ content: axe });
  const found = await page.evaluate(async () => (await window.axe.run()).violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.html).join(' ').slice(0, 200)}`));
  check(found.length === 0, `${name}, ${colorScheme}, ${width} px: axe finds ${found.join('; ')}`);
  await context.close();
}

/** Values of the table that has all the wanted columns, by key. */
const rowsWith = (page, keys) => page.evaluate((wanted) => {
  for (const table of document.querySelectorAll('table')) {
    const columns = [...table.querySelectorAll('thead th')].map((th) => th.dataset.key);
    if (!wanted.every((key) => columns.includes(key))) continue;
    return [...table.querySelectorAll('tbody tr')].map((row) => Object.fromEntries(
      [...row.children].map((cell, i) => [columns[i], { value: cell.dataset.value, text: cell.textContent }])));
  }
  return null;
}, keys);

async function checkNumbers() {
  const result = JSON.parse(readFileSync(join(folder, 'scale.json'), 'utf8'));
  const { page, context } = await open('scale', {});
  const rows = await rowsWith(page, ['gpus', 'step_time_s', 'tokens_per_s', 'mfu', 'efficiency', 'memory_gb']);
  check(rows?.length === result.points.length, 'a row per point');
  result.points.forEach((point, i) => {
    const row = rows[i];
    const expected = { gpus: point.gpus, step_time_s: point.step_time_s, tokens_per_s: point.tokens_per_s,
                       tokens_per_s_per_gpu: point.tokens_per_s_per_gpu, mfu: point.mfu, efficiency: point.efficiency,
                       memory_gb: point.memory_gb.total };
    for (const [key, value] of Object.entries(expected))
      check(value === null ? row[key].value === undefined : Number(row[key].value) === value,
            `${key} at ${point.gpus} GPUs: page ${row[key].value}, JSON ${value}`);
    if (point.step_time_s !== null) {
      const shown = Number(row.step_time_s.text.replaceAll(',', ''));
      check(Math.abs(shown / point.step_time_s - 1) < 1e-3, `step time is shown as ${row.step_time_s.text}`);
    }
  });
  const files = await rowsWith(page, ['path', 'sha256']);
  check(files?.length === result.inputs.length, 'a row per input');
  result.inputs.forEach((input, i) => check(files[i].sha256.text === input.sha256, `fingerprint of ${input.path}`));
  await context.close();
}

async function checkValidation() {
  const result = JSON.parse(readFileSync(join(folder, 'validation.json'), 'utf8'));
  const { page, context } = await open('validation', { viewport: { width: 1280, height: 900 } });
  const rows = await rowsWith(page, ['family', 'n', 'median_abs_log', 'p90_abs_log', 'in_interval']);
  const scored = result.families.filter((family) => family.n > 0);
  check(rows?.length === scored.length + 2, 'a row per family, all cases, and the mean');
  scored.forEach((family, i) => {
    check(rows[i].family.text === family.name, `family ${family.name}`);
    for (const key of ['coverage', 'median_abs_log', 'p90_abs_log', 'bias', 'in_interval'])
      check(family.coverage === 0 || Number(rows[i][key].value) === family[key], `${key} of ${family.name}`);
  });
  const points = result.results.filter((one) => one.status === 'ok')
    .reduce((sum, one) => sum + (Array.isArray(one.predicted) ? one.predicted.length : 1), 0);
  const marks = await page.locator('.chart.wide .mark').count();
  check(marks > 0.5 * points && marks <= points, `a mark per scored point: ${marks} of ${points}`);
  const titles = await page.locator('.chart.wide .mark title').allTextContents();
  check(titles.length === marks && titles.every((title) => /: measured .+, predicted .+, error [+-]/.test(title)), 'every mark names its case');
  await context.close();
}

const same = (row, key, value, what) =>
  check(value === null ? row[key].value === undefined : Number(row[key].value) === value,
        `${key} of ${what}: page ${row[key].value}, JSON ${value}`);

async function checkSize(name) {
  const result = JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'));
  const { page, context } = await open(name, { viewport: { width: 1280, height: 900 } });
  const bill = await rowsWith(page, ['chapter', 'part', 'count', 'price_total_usd']);
  check(bill?.length === result.bill.length, `${name}: a row per item of the bill`);
  result.bill.forEach((item, i) => {
    for (const key of ['count', 'price_each_usd', 'price_total_usd']) same(bill[i], key, item[key], item.part);
  });
  const capex = await rowsWith(page, ['what', 'usd', 'share']);
  same(capex.at(-1), 'usd', result.capex_usd, 'everything bought');
  const verdicts = await rowsWith(page, ['what', 'holds', 'arithmetic', 'field']);
  check(verdicts?.length === result.verdicts.length, `${name}: a row per constraint`);
  const words = await page.locator('body').innerText();
  check(words.includes('million tokens') === (result.step !== null), `${name}: tokens have a price if there is a job`);
  for (const warning of result.warnings) check(words.includes(warning), `${name}: warns that ${warning}`);
  const racks = await page.locator('.chart.wide:visible').first().locator('desc').textContent();
  check(racks.length > 20, `${name}: the floor plan in words: ${racks}`);
  await context.close();
}

async function checkAudit() {
  const result = JSON.parse(readFileSync(join(folder, 'audit.json'), 'utf8'));
  const { page, context } = await open('audit', {});
  const rows = await rowsWith(page, ['claim', 'stated', 'computed', 'error', 'holds', 'arithmetic']);
  check(rows?.length === result.claims.length, 'a row per claim');
  result.claims.forEach((claim, i) => {
    same(rows[i], 'error', claim.error, claim.claim);
    check(rows[i].arithmetic.text === claim.arithmetic, `arithmetic of ${claim.claim}`);
    check(claim.holds === null || rows[i].holds.text === claim.holds, `verdict on ${claim.claim}`);
  });
  await context.close();
}

async function checkPrint(name) {
  const { page, context } = await open(name, { colorScheme: 'dark' });
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  const ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  check(ground === 'rgb(255, 255, 255)', `${name}: print is on white, also from a dark screen: ${ground}`);
  const pdf = await page.pdf({ path: join(folder, `${name}.pdf`), format: 'A4', printBackground: true });
  check(pdf.length > 20000, `${name}: the page prints`);
  await context.close();
}

try {
  await checkPage('scale', 2);
  await checkPage('run', 1);
  await checkPage('validation', 7);  // steps, multiplies, collectives, memory in GB and as ratio; errors; intervals
  await checkPage('size', 5);  // floor plan, site plan, power, capital, an hour
  await checkPage('size-cluster', 5);
  await checkPage('audit', 0);
  await checkNumbers();
  await checkValidation();
  await checkSize('size');
  await checkSize('size-cluster');
  await checkAudit();
  for (const name of ['scale', 'size', 'audit']) await checkPrint(name);
} finally {
  await browser.close();
}
console.log(`${checks - failures} of ${checks} checks hold`);
process.exit(failures === 0 ? 0 : 1);
