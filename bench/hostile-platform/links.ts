import { DECIDED, LISTED } from './hostile-engine.ts'
import { filled, type PlatformRequest, type PlatformRow, post, PROJECT, repeated } from './row.ts'

const ENGINE = '/api/v1/engine/{pid}'
const INTERNAL = '/api/v1/internal'

const proxied = (name: string, request: () => PlatformRequest, times?: number): PlatformRow => ({
  name: `proxy: ${name}`,
  request: () => ({ by: 'key', ...request() }),
  ...(times !== undefined && { times }),
})
const execute = (name: string, body: string | Uint8Array = '{"input":{}}', type?: string) =>
  post(`${ENGINE}/execute/${name}`, body, type)

/** Milliseconds for which answers without an end are read. */
const READ_FOR = 1000

/** Decisions and reads through the proxy, and what an engine answers to them. */
export const PROXIED: readonly PlatformRow[] = [
  ...DECIDED.map((name) =>
    proxied(`40 decisions, answered with ${name}`, () => ({ ...execute(name), cutAfter: READ_FOR }), 40),
  ),
  ...LISTED.map((q): PlatformRow => ({
    name: `proxy: 6 lists of rulesets, answered with ${q}`,
    request: () => ({ method: 'GET', path: `${ENGINE}/rulesets?q=${q}` }),
    times: 6,
  })),
  proxied('500 decisions', () => execute('plain'), 500),
  proxied('20 inputs of 10 MB', () => execute('plain', `{"input":"${filled(10_000_000, 'x')}"}`), 20),
  proxied('20 inputs of 10 MB of {}', () => execute('plain', `{"input":[${filled(10_000_000, '{},')}{}]}`), 20),
  proxied(
    '10 batches of 45 MB',
    () => execute('plain/batch', filled(45_000_000, '{"input":{}}\n'), 'application/x-ndjson'),
    10,
  ),
  proxied(
    '60 inputs that stop at 9 MB',
    () => ({ ...execute('plain', filled(9_000_000, ' ')), isUnfinished: true }),
    60,
  ),
  proxied(
    'an input in a bomb of gzip',
    () => ({ ...execute('plain', 'x'), headers: { 'content-encoding': 'gzip' } }),
    20,
  ),
  proxied('300 names that are not there', () => execute(`unknown-${crypto.randomUUID()}`), 300),
  proxied('300 paths that are none', () => post(`${ENGINE}/execute/a/${'b'.repeat(7000)}`, '{}'), 300),
  proxied('200 writes', () => post(`${ENGINE}/rulesets`, '{}'), 200),
  proxied('a sticky key of 8 KB', () => ({ ...execute('plain'), headers: { 'x-canary-key': filled(8000, 'k') } }), 100),
  proxied('evaluation of 1 MB', () => post(`${ENGINE}/eval`, `{"expression":"${filled(1_000_000, '(')}"}`), 40),
  {
    name: 'proxy: filter of 1 MB of {}',
    request: () => post(`${ENGINE}/rulesets/plain/filter`, `[${filled(1_000_000, '{},')}{}]`),
    times: 40,
  },
  {
    name: 'proxy: SQL of 1 MB of {}',
    request: () => post(`${ENGINE}/rulesets/plain/sql`, `[${filled(1_000_000, '{},')}{}]`),
    times: 40,
  },
  {
    name: 'proxy: 60 reads of versions',
    request: () => ({ method: 'GET', path: `${ENGINE}/rulesets/plain/versions/1` }),
    times: 60,
  },
]

const told = (tool: string, given: string) =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${tool}","arguments":${given}}}`
const assisted = (name: string, body: () => string, times?: number): PlatformRow => ({
  name: `assistant: ${name}`,
  request: () => ({ ...post('/api/v1/mcp', body()), by: 'key' }),
  ...(times !== undefined && { times }),
})
const explained = (input: string) => told('explain', `{"project_id":"{pid}","name":"few","input":${input}}`)

/** Messages of the Model Context Protocol. */
export const ASSISTED: readonly PlatformRow[] = [
  assisted('200 lists of tools', () => '{"jsonrpc":"2.0","id":1,"method":"tools/list"}', 200),
  assisted('a batch of 300,000', () => `[${filled(1_000_000, '{},')}{}]`, 3),
  assisted('arguments of 1 MB of {}', () => explained(`{"a":[${filled(900_000, '{},')}{}]}`), 3),
  assisted('arguments of 50,000 keys', () => explained(`{${repeated(50_000, (at) => `"key ${at}":1`)}}`), 3),
  assisted('a name of 1 MB', () => told(filled(900_000, 'x'), '{}'), 3),
  assisted('an id of 1 MB', () => `{"jsonrpc":"2.0","id":"${filled(900_000, 'x')}","method":"ping"}`, 20),
  assisted('6 reads of a draft of 9 MB', () => told('get_ruleset', '{"project_id":"{pid}","name":"wide"}'), 6),
  assisted(
    '6 validations of 1 MB',
    () => told('validate', `{"project_id":"{pid}","ruleset":{"steps":[${filled(900_000, '{},')}{}]}}`),
    6,
  ),
]

const BEAT = { session: 's-1', applied_revision: 0, wait_ms: 0 }
const beat = (name: string, members: () => string, times?: number): PlatformRow => ({
  name: `heartbeat: ${name}`,
  request: () => ({
    ...post(`${INTERNAL}/heartbeat`, JSON.stringify(BEAT).replace(/}$/, `,${members()}}`)),
    by: 'engine',
  }),
  ...(times !== undefined && { times }),
})
const DIGEST = 'b'.repeat(64)
const count = (at: number, codes: string) =>
  `{"tenant":null,"name":"r${at}","digest":"${DIGEST}","ok":1,"error":0,"codes":{${codes}},"duration":{"counts":[1],"sum_seconds":1}}`

/** Requests of engines, with or without their token. */
export const LINKED: readonly PlatformRow[] = [
  beat('20,000 rulesets', () => `"rulesets":[${repeated(20_000, (at) => `{"name":"r${at}","digest":"${DIGEST}"}`)}]`),
  beat('100,000 rulesets', () => `"rulesets":[${repeated(99_000, (at) => `{"name":"r${at}","digest":"${DIGEST}"}`)}]`),
  beat('5,000 counts', () => `"stats":[${repeated(5000, (at) => count(at, '"A":1'))}]`),
  beat(
    '1,000 counts of 300 codes',
    () =>
      `"stats":[${repeated(1000, (at) =>
        count(
          at,
          repeated(300, (code) => `"c${code}":1`),
        ),
      )}]`,
  ),
  beat('10 of 9 MB of counts', () => `"stats":[${filled(9_000_000, '{},')}{}]`, 10),
  beat(
    '1,000 problems of 9 KB',
    () =>
      `"problems":[${repeated(1000, (at) => `{"tenant":null,"name":"r${at}","digest":null,"message":"${filled(9000, 'm')}","retried":true}`)}]`,
  ),
  beat(
    '1,000 decisions of 9 KB',
    () =>
      `"recording":{"tag":null,"decisions":[${repeated(1000, (at) => `{"seq":${at + 1},"at":"2026-01-01T00:00:00Z","tenant":null,"name":"few","digest":"${DIGEST}","code":"A","input":"${filled(9000, 'x')}","output":"{}"}`)}]}`,
  ),
  beat('health of 9 MB of {}', () => `"health":[${filled(2_900_000, '{},')}{}]`),
  beat('health of 90,000 keys', () => `"health":{${repeated(90_000, (at) => `"key ${at}":1`)}}`),
  beat('40 of 9 MB of blanks', () => `"version":"1"${filled(9_000_000, ' ')}`, 40),
  {
    name: 'heartbeat: 300 that are held',
    request: () => ({
      ...post(`${INTERNAL}/heartbeat`, JSON.stringify({ ...BEAT, wait_ms: 25_000 })),
      by: 'engine',
      cutAfter: READ_FOR,
    }),
    times: 300,
  },
  {
    name: 'heartbeat: 100 with 9 MB and no token',
    request: () => ({ ...post(`${INTERNAL}/heartbeat`, `[${filled(9_000_000, '{},')}{}]`), by: 'nobody' }),
    times: 100,
  },
  {
    name: 'registration: 300 without a token',
    request: () => ({
      ...post(`${INTERNAL}/register`, '{}'),
      by: 'nobody',
      headers: { 'x-connect-token': filled(4000, 'x') },
    }),
    times: 300,
  },
  {
    name: 'registration: 1,000 capabilities',
    request: () => ({
      ...post(
        `${INTERNAL}/register`,
        `{"name":"other","instance_id":"o","version":"1","capabilities":[${repeated(1000, () => `"${'c'.repeat(128)}"`)}]}`,
      ),
      by: 'engine',
    }),
    times: 20,
  },
]

const stream = (name: string, path: string, headers: Readonly<Record<string, string>> = {}): PlatformRow => ({
  name: `stream: 200 of ${name}`,
  request: () => ({ method: 'GET', path, headers: { accept: 'text/event-stream', ...headers }, cutAfter: READ_FOR }),
  times: 200,
})

/** Streams of events, cut while they are open. */
export const STREAMED: readonly PlatformRow[] = [
  stream('the events of a project', `${PROJECT}/events`),
  stream('the events of a project, from the first one on', `${PROJECT}/events`, { 'last-event-id': '0' }),
  stream('the events of a project, behind an id of 8 KB', `${PROJECT}/events`, { 'last-event-id': filled(8000, '9') }),
  stream('the saves of a ruleset', `${PROJECT}/rulesets/wide/events`),
  {
    name: 'stream: 300 presences',
    request: () => ({
      method: 'PUT',
      path: `${PROJECT}/rulesets/few/presence`,
      body: `{"step_id":"${filled(250, 's')}"}`,
    }),
    times: 300,
  },
]
