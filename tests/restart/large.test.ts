import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, expect, test } from 'vitest'
import { IS_FULL_RUN } from '../cases.testing.ts'
import { killAll } from '../engine-server.testing.ts'
import { compiled } from './compiled-rule.testing.ts'
import { ask, serve } from './server.testing.ts'

/** Rulesets whose files could grow beyond the 64 MiB that a start reads: each is there again. */

const scratch = mkdtempSync(join(tmpdir(), 'engine-large-'))
const MEGABYTE = 1_000_000

afterEach(killAll)
afterAll(() => rmSync(scratch, { recursive: true }))

const ruleset = (name: string, value: string) =>
  // In a member that the rules do not know and keep: outputs may hold fewer values.
  `{"config":{"name":"${name}","entry_step":"end"},"notes":${value},"steps":{"end":{"id":"end","type":"terminal",` +
  `"result":{"code":"OK","message":""}}}}`
const lists = (length: number) =>
  `[${Array.from({ length: length / 101 }, () => '['.repeat(50) + ']'.repeat(50)).join(',')}]`
const items = (item: string, length: number) => `[${`${item},`.repeat(length / (item.length + 1))}0]`

type Case = [what: string, body: string | Uint8Array]

test.each<Case>([
  ['a compiled one that unfolds to 700 kB of nested lists', compiled(ruleset('large', lists(700_000)))],
  ...(IS_FULL_RUN
    ? ([
        // Laid out over lines, longer than the longest text of V8.
        ['1.9 MB of nested lists', ruleset('large', lists(1.9 * MEGABYTE))],
        ['10 MB of a flat list', ruleset('large', items(`"${'x'.repeat(100)}"`, 10 * MEGABYTE))],
      ] satisfies Case[])
    : []),
])(
  '%s',
  async (_what, body) => {
    const rules = mkdtempSync(join(scratch, 'rules-'))
    const first = await serve(rules)
    const type = typeof body === 'string' ? 'application/json' : 'application/octet-stream'
    const small = ruleset('large', '1')
    expect((await ask(first.url, 'POST', '/rulesets', { body: small })).status).toBe(201)
    expect((await ask(first.url, 'POST', '/rulesets', { body, type })).status).toBe(200)
    const { text } = await ask(first.url, 'GET', '/rulesets/large')
    // Once more as a version, and by rollback as the current one.
    expect((await ask(first.url, 'POST', '/rulesets', { body: small })).status).toBe(200)
    expect((await ask(first.url, 'POST', '/rulesets/large/rollback', { body: '{"seq":2}' })).status).toBe(200)
    expect(await first.stop()).toBe(0)
    expect(statSync(join(rules, 'default/large.json')).size).toBeLessThan(64 * 1024 * 1024)
    const second = await serve(rules)
    expect((await ask(second.url, 'GET', '/rulesets/large')).text === text).toBe(true)
  },
  120_000,
)
