// SPDX-License-Identifier: Apache-2.0
// Checks every shipped config against its JSON Schema, as an editor would: by the file that "$schema" names and the
// file of types beside it. Likewise by the schema that the program prints, which stands alone.
//   node schema_test.mjs PROGRAM CONFIGS
// Exit code 77: something that the test needs is not on this machine.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

const [program, configs] = process.argv.slice(2);
let Ajv;
try {
  Ajv = (await import('ajv')).default;
} catch {
  console.log('skipped: ajv is missing: npm ci in tests/browser');
  process.exit(77);
}

let failures = 0;
let checks = 0;
const check = (holds, what) => {
  ++checks;
  if (holds) return;
  ++failures;
  console.error(`FAILED: ${what}`);
};

/** JSON with comments; a comment never begins inside a string. */
const parse = (text) => JSON.parse(text.replace(/("(?:[^"\\]|\\.)*")|\/\/[^\n]*|\/\*[^]*?\*\//g, (all, string) => string ?? ''));
const read = (path) => parse(readFileSync(path, 'utf8'));
const because = (validate) => JSON.stringify(validate.errors?.[0] ?? {});

const folder = join(configs, 'schema');
const editor = new Ajv({ strict: true, allowUnionTypes: true });
for (const name of readdirSync(folder)) editor.addSchema(read(join(folder, name)), name);
const kinds = readdirSync(folder).map((name) => basename(name, '.schema.json')).filter((kind) => kind !== 'types');

const printed = Object.fromEntries(kinds.map((kind) => {
  const done = spawnSync(program, ['schema', kind], { env: { ...process.env, CLUSTERWRIGHT_CONFIGS: configs }, encoding: 'utf8' });
  return [kind, new Ajv({ strict: true, allowUnionTypes: true }).compile(JSON.parse(done.stdout))];
}));
const committed = Object.fromEntries(kinds.map((kind) => [kind, editor.getSchema(`${kind}.schema.json`)]));

// Shipped files: those without "$schema" are what their folder holds.
const kindOfFolder = { collectives: 'collectives', parameters: 'parameters', parts: 'catalog', steps: 'steps' };
const examples = {};
for (const room of readdirSync(configs).filter((name) => name !== 'schema'))
  for (const name of readdirSync(join(configs, room)).filter((file) => file.endsWith('.json'))) {
    const path = join(configs, room, name);
    const document = read(path);
    const named = document.$schema;
    check(!named || existsSync(join(dirname(path), named)), `${room}/${name} names ${named}, which is not there`);
    const kind = named ? basename(named, '.schema.json') : kindOfFolder[room];
    if (!committed[kind]) {
      check(false, `${room}/${name} is of no known kind`);
      continue;
    }
    examples[kind] ??= document;
    check(committed[kind](document), `${room}/${name} against configs/schema: ${because(committed[kind])}`);
    check(printed[kind](document), `${room}/${name} against "schema ${kind}": ${because(printed[kind])}`);
  }

// Wrong files: an unknown key and a wrong type, at the top and inside a type that is a reference away.
const refused = (kind, change, what) => {
  const wrong = structuredClone(examples[kind]);
  change(wrong);
  check(!committed[kind](wrong), `configs/schema accepts a ${kind} with ${what}`);
  check(!printed[kind](wrong), `"schema ${kind}" accepts a ${kind} with ${what}`);
};
for (const kind of Object.keys(examples)) refused(kind, (file) => { file.no_such_key = 1; }, 'an unknown key');
refused('scenario', (file) => { file.job = 'tomorrow'; }, 'a job that is a word');
refused('scenario', (file) => { file.job.paralel = {}; }, 'an unknown key in its job');
refused('cluster', (file) => { file.accelerators = 'many'; }, 'a word for a number');
refused('cluster', (file) => { file.node.nics = -1; }, 'fewer than no NICs');
refused('cluster', (file) => { file.node.host_power_w = { value: 1 }; }, 'a fact without its source');
refused('transformer', (file) => { delete file.layers; }, 'no layers');

// What an editor proposes as a default must be right itself.
for (const [type, definition] of Object.entries(read(join(folder, 'types.schema.json')).definitions))
  for (const [key, field] of Object.entries(definition.properties)) {
    if (field.default === undefined) continue;
    const validate = editor.compile({ $ref: `types.schema.json#/definitions/${type}/properties/${key}` });
    check(validate(field.default), `the default of ${type}.${key}: ${because(validate)}`);
  }

console.log(`${checks} checks, ${failures} failures`);
process.exit(failures ? 1 : 0);
