import { gzipSync } from 'node:zlib'
import { subRuleOf, tableOf, wideCase } from '../authoring/documents.ts'
import { DOCUMENT_BYTES, filled, type PlatformRow, post, PROJECT, repeated } from './row.ts'

const SIZE = DOCUMENT_BYTES - 2000
const RULE = `${PROJECT}/rulesets/few`

const end = { id: 'end', type: 'terminal', code: 'DONE' }
const draftOf = (steps: readonly object[], more: object = {}) =>
  JSON.stringify({ config: { name: 'few', version: '1.0.0' }, startStepId: 's0', steps: [...steps, end], ...more })
const small = draftOf([{ id: 's0', type: 'action', assignments: [{ name: 'x', value: '1' }], nextStepId: 'end' }])
const actions = (count: number, value: (index: number) => string) =>
  draftOf(
    Array.from({ length: count }, (_, index) => ({
      id: `s${index}`,
      type: 'action',
      assignments: [{ name: 'x', value: value(index) }],
      nextStepId: index + 1 === count ? 'end' : `s${index + 1}`,
    })),
  )

const tried = (name: string, input: () => string, times?: number, draft: () => string = () => small): PlatformRow => ({
  name: `try-run: ${name}`,
  request: () => post(`${RULE}/trace`, `{"ruleset":${draft()},"input":${input()}}`),
  ...(times !== undefined && { times }),
})
const validated = (name: string, draft: () => string, times?: number): PlatformRow => ({
  name: `validation: ${name}`,
  request: () => post(`${RULE}/validate`, `{"ruleset":${draft()}}`),
  ...(times !== undefined && { times }),
})
const saved = (name: string, draft: () => string): PlatformRow => ({
  name: `save: ${name}`,
  request: () => post(`${PROJECT}/rulesets/other`, `{"ruleset":${draft()},"expected_seq":0}`),
})

const objects = () => `{"a":[${filled(9_000_000, '{},')}{}]}`
const expression = (value: string) => () => actions(1, () => value)

export const DRAFTS: readonly PlatformRow[] = [
  tried('9 MB of {}', objects),
  tried('6 of 9 MB of {}', objects, 6),
  tried('9 MB of empty lists', () => `{"a":[${filled(9_000_000, '[],')}[]]}`),
  tried('9 MB of numbers', () => `{"a":[${filled(9_000_000, '1,')}1]}`),
  tried('999,000 values', () => `{"a":[${filled(2_900_000, '{},')}{}]}`),
  tried('6 of 999,000 values', () => `{"a":[${filled(2_900_000, '{},')}{}]}`, 6),
  tried('90,000 keys', () => `{${repeated(90_000, (at) => `"key ${at}":${at}`)}}`),
  tried('a text of 9 MB', () => `{"a":"${filled(9_000_000, 'é'.slice(0, 1))}"}`),
  tried('a text of 4,000,000 astral characters', () => `{"a":"${'𝒳'.repeat(2_000_000)}"}`),
  tried('9 MB of escapes', () => `{"a":"${filled(9_000_000, '\\u0041')}"}`),
  tried('9 MB of long integers', () => `{"a":[${filled(9_000_000, '9007199254740993,')}1]}`),
  tried('nesting of 9,000,000', () => `{"a":${'['.repeat(9_000_000)}`),
  tried('200 small ones', () => '{"a":1}', 200),
  tried(
    '20 endless ones',
    () => `{"s":"${'a'.repeat(100_000)}"}`,
    20,
    () =>
      JSON.stringify({
        config: { name: 'few', timeout: 0, maxDepth: 1_000_000 },
        startStepId: 'a',
        steps: [{ id: 'a', type: 'action', assignments: [{ name: 'x', value: 'contains(s, "ab")' }], nextStepId: 'a' }],
      }),
  ),
  tried(
    'a text that doubles',
    () => '{}',
    6,
    () =>
      JSON.stringify({
        config: { name: 'few', timeout: 0, maxDepth: 1_000_000 },
        startStepId: 'i',
        steps: [
          { id: 'i', type: 'action', assignments: [{ name: 'x', value: '"abcdefgh"' }], nextStepId: 'a' },
          { id: 'a', type: 'action', assignments: [{ name: 'x', value: '$x + $x' }], nextStepId: 'a' },
        ],
      }),
  ),
  validated('60,000 steps', () => actions(60_000, (at) => `a + ${at}`)),
  validated('4 of 60,000 steps', () => actions(60_000, (at) => `a + ${at}`), 4),
  validated('a table of 10 MB', () => JSON.stringify(tableOf(SIZE, 'few'))),
  validated('60,000 steps that are wrong', () => actions(60_000, () => 'a +')),
  validated('an expression of 9 MB', expression(`${filled(9_000_000, 'a+')}a`)),
  validated('brackets of 9 MB', expression(filled(9_000_000, '('))),
  validated('a list literal of 9 MB', expression(`[${filled(9_000_000, '1,')}1]`)),
  validated('a step of 9 MB of {}', () =>
    draftOf([{ id: 's0', type: 'terminal', code: 'A', notes: 'NOTES' }]).replace(
      '"NOTES"',
      `[${filled(9_000_000, '{},')}{}]`,
    ),
  ),
  validated('a member of 90,000 keys', () =>
    small.replace(/}$/, `,"more":{${repeated(90_000, (at) => `"k${at}":1`)}}}`),
  ),
  validated('100 small ones', () => small, 100),
  saved('a table of 10 MB', () => JSON.stringify(tableOf(SIZE, 'other'))),
  saved('9 MB of {}', () => small.replace(/}$/, `,"more":[${filled(9_000_000, '{},')}{}]}`)),
  saved('999,000 values', () => small.replace(/}$/, `,"more":[${filled(2_900_000, '{},')}{}]}`)),
  { name: 'draft of 9 MB: read', request: () => ({ method: 'GET', path: `${PROJECT}/rulesets/wide` }) },
  { name: 'draft of 9 MB: 10 reads', request: () => ({ method: 'GET', path: `${PROJECT}/rulesets/wide` }), times: 10 },
  { name: 'draft of 9 MB: 40 reads', request: () => ({ method: 'GET', path: `${PROJECT}/rulesets/wide` }), times: 40 },
  {
    name: 'draft of 9 MB: 10 saves read',
    request: () => ({ method: 'GET', path: `${PROJECT}/rulesets/wide/saves/1` }),
    times: 10,
  },
  {
    name: 'draft of 9 MB: converted',
    request: () => ({ method: 'GET', path: `${PROJECT}/rulesets/wide/export?format=engine` }),
    times: 4,
  },
  {
    name: 'draft of 9 MB: to JDM',
    request: () => ({ method: 'GET', path: `${PROJECT}/rulesets/wide/export?format=jdm` }),
    times: 4,
  },
  {
    name: 'draft of 9 MB: differences',
    request: () => ({ method: 'GET', path: `${PROJECT}/rulesets/wide/diff?from=1&to=2` }),
    times: 4,
  },
  {
    name: 'fact usage: 8 concurrent',
    request: () => ({ method: 'GET', path: `${PROJECT}/facts/amount/usage` }),
    times: 8,
  },
  { name: 'project: export', request: () => ({ method: 'GET', path: `${PROJECT}/export` }) },
  { name: 'project: 4 exports', request: () => ({ method: 'GET', path: `${PROJECT}/export` }), times: 4 },
  {
    name: 'project: 4 exports as JSON',
    request: () => ({ method: 'GET', path: `${PROJECT}/export`, headers: { accept: 'application/json' } }),
    times: 4,
  },
  {
    name: 'sub-rule of 15,000 steps',
    request: () => ({
      method: 'PUT',
      path: `${PROJECT}/sub-rules/steps`,
      body: JSON.stringify({ ...subRuleOf(1_040_000), expected_seq: 0 }),
    }),
  },
]

/** Each row has a contract of its own: a name that is taken is refused before the body costs anything. */
let contracts = 0
function contract(name: string, members: () => string): PlatformRow {
  const own = `large${contracts++}`
  return {
    name: `contract: ${name}`,
    request: () => post(`${PROJECT}/contracts`, `{"name":"${own}",${members()}}`),
  }
}
const fields = (count: number, type = '"string"') => repeated(count, (at) => `{"name":"f${at}","type":${type}}`)
const contractOf = (input: string, outputs: string) =>
  `"version":"1.0.0","input":{"fields":[${input}]},"outputs":[${outputs}]`

export const CATALOG: readonly PlatformRow[] = [
  contract('90,000 fields', () => contractOf(fields(90_000), '')),
  contract('60,000 fields', () => contractOf(fields(60_000), '')),
  contract('300,000 fields', () => contractOf(fields(290_000), '')),
  contract('5,000 fields', () => contractOf(fields(5000), '')),
  contract('300,000 outputs', () =>
    contractOf(
      '',
      repeated(300_000, (at) => `{"code":"C${at}"}`),
    ),
  ),
  contract('1,000 outputs of 40 fields', () =>
    contractOf(
      '',
      repeated(1000, (at) => `{"code":"C${at}","fields":[${fields(40)}]}`),
    ),
  ),
  contract('1,000 outputs of 300 fields', () =>
    contractOf(
      '',
      repeated(1000, (at) => `{"code":"C${at}","fields":[${fields(300, '1')}]}`),
    ),
  ),
  contract('1,000 outputs of 190 items that are none', () =>
    contractOf(
      '',
      repeated(1000, (at) => `{"code":"C${at}","fields":[${filled(380, '1,')}1]}`),
    ),
  ),
  contract('9 MB of {} as default', () =>
    contractOf(`{"name":"a","type":"any","default":[${filled(9_000_000, '{},')}{}]}`, ''),
  ),
  ...['minimum', 'default', 'digits'].map((member) =>
    contract(`10^6 digits as ${member}`, () =>
      contractOf(`{"name":"a","type":"decimal","${member}":0.${'1'.repeat(1_000_000)}}`, ''),
    ),
  ),
  contract('exponents as an enumeration', () =>
    contractOf(`{"name":"a","type":"decimal","enum":[${filled(900_000, '1.5e-6000,')}1]}`, ''),
  ),
  contract('types of 100 characters', () => contractOf(fields(4900, `"${'array<'.repeat(16)}x"`), '')),
  {
    name: 'contract: check of 60,000 fields',
    request: () => post(`${PROJECT}/contracts/small/check`, `{${contractOf(fields(60_000), '')}}`),
  },
  {
    name: 'fact: example of 1 MB of {}',
    request: () => post(`${PROJECT}/facts`, `{"name":"f","type":"any","example":[${filled(900_000, '{},')}{}]}`),
  },
  {
    name: 'fact: 200,000 tags',
    request: () => post(`${PROJECT}/facts`, `{"name":"f","type":"string","tags":[${repeated(200_000, () => '"a"')}]}`),
  },
  {
    name: 'concept: 20,000 fields',
    request: () => post(`${PROJECT}/concepts`, `{"name":"C","fields":[${fields(20_000)}]}`),
  },
]

const suite = (name: string, body: () => string, type: string, times?: number): PlatformRow => ({
  name: `suite: ${name}`,
  request: () => post(`${RULE}/tests/import`, body(), type),
  ...(times !== undefined && { times }),
})
const YAML = 'application/yaml'
const CSV = 'text/csv'

export const SUITES: readonly PlatformRow[] = [
  suite('YAML of 300,000 keys', () => repeated(300_000, (at) => `k${at}: 1`, '\n'), YAML),
  suite(
    'YAML of 120,000 keys in a case',
    () => `cases:\n- name: a\n  expect: {code: A}\n  input:\n${repeated(120_000, (at) => `    k${at}: 1`, '\n')}`,
    YAML,
  ),
  suite('4 of YAML of 9 MB', () => repeated(700_000, (at) => `k${at}: 1`, '\n'), YAML, 4),
  suite(
    'YAML aliases that double',
    () => `a0: &a0 [x]\n${repeated(60, (at) => `a${at + 1}: &a${at + 1} [*a${at}, *a${at}]`, '\n')}\n`,
    YAML,
  ),
  suite('YAML of 9 MB of brackets', () => filled(9_000_000, '['), YAML),
  suite('YAML of 9 MB of {}', () => `cases: [${filled(9_000_000, '{},')}]`, YAML),
  suite('YAML of 9 MB of tags', () => `cases: [${filled(9_000_000, '!a b,')}]`, YAML),
  suite('YAML number of 9,000,000 digits', () => `cases: ${filled(9_000_000, '9')}`, YAML),
  suite('CSV of 9 MB of {}', () => `name,input,expect\na,"[${filled(9_000_000, '{},')}{}]",{}\n`, CSV),
  suite('CSV of 4,000,000 rows', () => `name\n${filled(9_000_000, 'a\n')}`, CSV),
  suite('CSV of one cell', () => `name\n"${filled(9_000_000, 'x')}`, CSV),
  suite('CSV of 9,000,000 cells', () => `name\n${filled(9_000_000, ',')}`, CSV),
  {
    name: 'suite: 5,000 cases of 190 values',
    request: () =>
      post(
        `${RULE}/tests`,
        JSON.stringify({
          name: 's',
          cases: Array.from({ length: 5000 }, (_, at) => ({
            name: `c${at}`,
            input: { a: Array(190).fill(1) },
            expect: { code: 'A' },
          })),
        }),
      ),
  },
  {
    name: 'suite: a case of 999,000 values',
    request: () => post(`${RULE}/tests`, JSON.stringify({ name: 't', cases: wideCase(1_990_000 * 2) })),
  },
  {
    name: 'suite: 300,000 cases',
    request: () => post(`${RULE}/tests`, `{"name":"s","cases":[${repeated(300_000, () => '{"name":"a"}')}]}`),
  },
]

const imported = (
  format: string,
  name: string,
  type: string,
  body: () => string | Uint8Array,
  times?: number,
): PlatformRow => ({
  name: `${format}: ${name}`,
  request: () => post(`${PROJECT}/imports?format=${format}`, body(), type),
  ...(times !== undefined && { times }),
})
const XML = 'application/xml'
const JSON_TYPE = 'application/json'
const nestedRules = (count: number, depth: number) =>
  `[${repeated(count, (at) => `{"event":{"type":"t${at}"},"conditions":${'{"all":['.repeat(depth)}{"fact":"f","operator":"equal","value":1}${']}'.repeat(depth)}}`)}]`

export const IMPORTED: readonly PlatformRow[] = [
  imported('csv', '45 MB', CSV, () => `in:a,out:b\n${filled(45_000_000, '1,2\n')}`),
  imported('csv', '5 of 45 MB', CSV, () => `in:a,out:b\n${filled(45_000_000, '1,2\n')}`, 5),
  imported('csv', '100,000 rows', CSV, () => `in:a,out:b\n${repeated(100_000, (at) => `>= ${at},${at}`, '\n')}`),
  imported('csv', '45 MB in one cell', CSV, () => `in:a,out:b\n"${filled(45_000_000, 'x')}",1\n`),
  imported('dmn', '8,000,000 &amp;', XML, () => `<a>${filled(40_000_000, '&amp;')}</a>`),
  imported(
    'dmn',
    'an expression of 8,000,000 &amp;',
    XML,
    () =>
      `<definitions xmlns="https://www.omg.org/spec/DMN/20191111/MODEL/" name="m" namespace="n"><decision id="d" name="d"><literalExpression><text>${filled(40_000_000, '&amp;')}</text></literalExpression></decision></definitions>`,
  ),
  imported('dmn', '12,000,000 elements', XML, () => `<a>${filled(48_000_000, '<b/>')}</a>`),
  imported('dmn', 'attributes of 45 MB', XML, () => `<a ${repeated(2_000_000, (at) => `k${at}="1"`, ' ')}/>`),
  imported('dmn', 'one attribute of 45 MB', XML, () => `<a b="${filled(45_000_000, '&lt;')}"/>`),
  imported('jdm', '45 MB of {}', JSON_TYPE, () => `{"nodes":[${filled(45_000_000, '{},')}{}],"edges":[]}`),
  imported('jdm', '4 of 45 MB of {}', JSON_TYPE, () => `{"nodes":[${filled(45_000_000, '{},')}{}],"edges":[]}`, 4),
  imported('json-rules-engine', '3,000 rules nested 55 deep', JSON_TYPE, () => nestedRules(3000, 55)),
  imported('json-rules-engine', '200 rules nested 60 deep', JSON_TYPE, () => nestedRules(200, 60)),
  imported('json-rules-engine', '45 MB of rules', JSON_TYPE, () => `[${filled(45_000_000, '{},')}{}]`),
  imported(
    'engine',
    '40 MB of branches',
    JSON_TYPE,
    () =>
      `{"config":{"name":"e","entry_step":"d"},"steps":{"d":{"id":"d","type":"decision","branches":[${filled(40_000_000, '{"condition":"a == 1","next_step":"z"},')}{}]}}}`,
  ),
  imported('engine', 'a text of 45 MB', JSON_TYPE, () => `{"config":{"name":"${filled(45_000_000, 'x')}"}}`),
  imported('xlsx', '45 MB that are no zip', 'application/octet-stream', () => Buffer.alloc(45_000_000, 'x')),
  imported('xlsx', 'gzip instead of a zip', 'application/octet-stream', () => gzipSync(Buffer.alloc(100_000_000))),
  {
    name: 'csv: 45 MB with an idempotency key',
    request: () => ({
      ...post(`${PROJECT}/imports?format=csv`, `in:a,out:b\n${filled(45_000_000, '1,2\n')}`, CSV),
      headers: { 'idempotency-key': crypto.randomUUID() },
    }),
  },
  {
    name: 'imports: 60 connections that stop at 9 MB',
    request: () => ({ ...post(`${PROJECT}/imports?format=csv`, filled(9_000_000, '1,2\n'), CSV), isUnfinished: true }),
    times: 60,
  },
  {
    name: 'imports: 20 connections that stop at 45 MB',
    request: () => ({ ...post(`${PROJECT}/imports?format=csv`, filled(45_000_000, '1,2\n'), CSV), isUnfinished: true }),
    times: 20,
  },
]
