import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { adultCheck, startServer } from './http/server.testing.ts'
import { runTool } from './programs.testing.ts'

const directory = mkdtempSync(join(tmpdir(), 'engine-audit-command-'))
afterAll(() => rmSync(directory, { recursive: true }))

const audit = (...args: string[]) => runTool('engine', ['audit', ...args], directory)

/** A folder with these files. */
function folder(name: string, files: Readonly<Record<string, string | Buffer>>): string {
  const path = join(directory, name)
  for (const [file, content] of Object.entries(files)) {
    mkdirSync(join(path, file, '..'), { recursive: true })
    writeFileSync(join(path, file), content)
  }
  return path
}

const event = (time: string, name: string, fields: object = {}) =>
  `${JSON.stringify({ event: name, timestamp: time, instance_id: 'one', ...fields })}\n`

const FILES = {
  'audit-2026-11-27.jsonl.gz': gzipSync(
    event('2026-11-27T10:00:00.000Z', 'rule_created', { rule_name: 'tax', token: 'ann' }),
  ),
  'audit-2026-11-28.jsonl':
    event('2026-11-28T08:00:00.000Z', 'rule_updated', { rule_name: 'tax', to_version: '2', request_id: 'r-1' }) +
    event('2026-11-28T09:00:00.000Z', 'rule_executed', { rule_name: 'vip', code: 'OK', duration_us: 12 }),
  'acme/audit-2026-11-28.jsonl': event('2026-11-28T07:00:00.000Z', 'rule_deleted', {
    tenant_id: 'acme',
    rule_name: 'tax',
  }),
  'notes.txt': 'not an audit file',
}
const LINES = {
  created: '2026-11-27T10:00:00.000Z rule_created       tax token=ann',
  updated: '2026-11-28T08:00:00.000Z rule_updated       tax to_version=2 request_id=r-1',
  executed: '2026-11-28T09:00:00.000Z rule_executed      vip code=OK duration_us=12',
  deleted: '2026-11-28T07:00:00.000Z rule_deleted       tax tenant_id=acme',
}

describe('the events of a folder', () => {
  const path = folder('all', FILES)
  test.each<[args: readonly string[], expected: readonly (keyof typeof LINES)[]]>([
    [[], ['created', 'deleted', 'updated', 'executed']],
    [
      ['--event', 'rule_created', 'rule_deleted'],
      ['created', 'deleted'],
    ],
    [['--rule', 'vip'], ['executed']],
    [['--tenant', 'acme'], ['deleted']],
    [['--token', 'ann'], ['created']],
    [['--request', 'r-1'], ['updated']],
    [
      ['--since', '2026-11-28'],
      ['deleted', 'updated', 'executed'],
    ],
    [['--since', '2026-11-28T08:30'], ['executed']],
    [['--until', '2026-11-27'], ['created']],
    [
      ['--until', '2026-11-28T08:00Z'],
      ['created', 'deleted'],
    ],
    [
      ['--since', '2026-11-28', '--until', '2026-11-28', '--rule', 'tax'],
      ['deleted', 'updated'],
    ],
    [['--rule', 'none'], []],
  ])('%j', async (args, expected) => {
    const stdout = expected.map((name) => `${LINES[name]}\n`).join('')
    expect(await audit(path, ...args)).toEqual({ code: 0, stdout, stderr: '' })
  })

  test('as JSON are those of the file', async () => {
    const { stdout } = await audit(path, '--rule', 'vip', '--json')
    expect(stdout).toBe(FILES['audit-2026-11-28.jsonl'].split('\n')[1] + '\n')
  })
})

test('a line that cannot be read is named, the others are printed, and the exit code is 1', async () => {
  const good = event('2026-11-28T08:00:00.000Z', 'server_started')
  const path = folder('damaged', { 'audit-2026-11-28.jsonl': `{"event":"rule_exe\n[]\n${good}` })
  const { code, stdout, stderr } = await audit(path)
  expect([code, stdout]).toEqual([1, '2026-11-28T08:00:00.000Z server_started\n'])
  expect(stderr).toMatch(
    /audit-2026-11-28\.jsonl:1: .*\n.*audit-2026-11-28\.jsonl:2: expected an object, as events are\n$/,
  )
})

test('values cannot steer a terminal', async () => {
  const path = folder('hostile', {
    'audit-2026-11-28.jsonl': event('\u001B[2J', 'rule_\u009B1m', { rule_name: 'a\u001B[2J', reason: '\u202Ex\n2026' }),
  })
  const { stdout } = await audit(path)
  expect(stdout).toBe('?[2J rule_?1m           a\\u001b[2J reason="\\u202ex\\n2026"\n')
})

test.each([
  [
    'a folder without audit files',
    [folder('none', { 'a.txt': '' })],
    1,
    /has no audit files \(audit-YYYY-MM-DD\.jsonl\)/,
  ],
  ['a missing path', ['missing'], 1, /^missing: cannot be read: it does not exist\n$/],
  [
    'a damaged archive',
    [join(folder('gz', { 'a.jsonl.gz': 'not compressed' }), 'a.jsonl.gz')],
    1,
    /a\.jsonl\.gz: cannot be read: it is damaged, or not compressed by gzip\n$/,
  ],
  ['an unknown event', ['.', '--event', 'rule_update'], 2, /Allowed choices are server_started, /],
  ['a time that is none', ['.', '--since', '2026-13-01'], 2, /Expected a day or a time in UTC/],
])('%s', async (_, args, code, message) => {
  expect(await audit(...args)).toEqual({ code, stdout: '', stderr: expect.stringMatching(message) })
})

test('the audit of a server names who changed what', async () => {
  const path = join(directory, 'server')
  const server = await startServer('--audit-dir', path)
  onTestFinished(() => server.stop())
  await server.post('/api/v1/rulesets', adultCheck(), { 'x-request-id': 'order-7' })
  const { code, stdout } = await audit(path, '--request', 'order-7')
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(
      /^\S+Z rule_created       adult-check version=\S+ address=127\.0\.0\.1 request_id=order-7\n$/,
    ),
  ])
})
