import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { ClientError } from './errors.ts'
import { createFallback, type FallbackOptions } from './fallback.ts'

const scratch = mkdtempSync(join(tmpdir(), 'engine-fallback-'))
afterAll(() => rmSync(scratch, { recursive: true }))

let now = 0
beforeEach(() => {
  now = 1000
  vi.spyOn(performance, 'now').mockImplementation(() => now)
})
afterEach(() => void vi.restoreAllMocks())

/** The text of a ruleset that always decides with this code, after a call of another one. */
function ruleset(name: string, code: string, calls?: string): string {
  const call = { action: 'call_ruleset', ruleset_name: calls, result_variable: 'called' }
  const end = { id: 'end', type: 'terminal', result: { code, message: '' } }
  const begin = { id: 'begin', type: 'action', actions: [call], next_step: 'end' }
  return JSON.stringify({
    config: { name, entry_step: calls === undefined ? 'end' : 'begin' },
    steps: calls === undefined ? { end } : { begin, end },
  })
}

/** A fallback whose engine has these rulesets; an error is thrown instead of a text. */
function fallback(options: FallbackOptions, stored: Record<string, string | Error>) {
  const loaded: string[] = []
  const made = createFallback(options, async (name) => {
    loaded.push(name)
    const found = stored[name] ?? new ClientError('not-found', 'gone')
    if (typeof found === 'string') return found
    throw found
  })
  const code = async (name: string) => (await made.decide(name, {}, false))?.code
  /** Looks for the ruleset, at a later time. */
  const look = async (name: string, ms = 0) => {
    now += ms
    const before = loaded.length
    made.noticed(name)
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve))
    return loaded.length - before
  }
  return { ...made, loaded, code, look, stored }
}

/** Options of polls: files are written within milliseconds. */
const SOON = { interval: 1 }
const UNREACHABLE = new ClientError('unavailable', 'away')

describe('a ruleset', () => {
  test('that was named is there from the start, the others when they were noticed', async () => {
    const { ready, code, look } = fallback({ rulesets: ['a'] }, { a: ruleset('a', 'A'), b: ruleset('b', 'B') })
    await ready
    expect([await code('a'), await code('b')]).toEqual(['A', undefined])
    await look('b')
    expect(await code('b')).toBe('B')
  })

  test('is fetched again after 30 s, and not before', async () => {
    const { code, look, stored } = fallback({}, { a: ruleset('a', 'OLD') })
    const fetched = [await look('a')]
    stored['a'] = ruleset('a', 'NEW')
    fetched.push(await look('a', 29_999), await look('a', 0))
    expect([await code('a'), fetched]).toEqual(['OLD', [1, 0, 0]])
    expect([await look('a', 1), await code('a')]).toEqual([1, 'NEW'])
  })

  test.each<[title: string, error: Error, code: string | undefined, files: readonly string[]]>([
    ['that is gone from the engine is forgotten', new ClientError('not-found', 'gone'), undefined, []],
    ['stays while the engine is away', UNREACHABLE, 'A', ['a.json']],
    ['stays where the token was refused', new ClientError('unauthorized', 'no'), 'A', ['a.json']],
  ])('%s', async (_title, error, code, files) => {
    const directory = mkdtempSync(join(scratch, 'kept'))
    const loan = fallback({ rulesets: ['a'], refreshMs: 10, directory }, { a: ruleset('a', 'A') })
    await loan.ready
    expect(readdirSync(directory)).toEqual(['a.json'])
    loan.stored['a'] = error
    expect(await loan.look('a', 10)).toBe(1)
    await expect.poll(() => readdirSync(directory), SOON).toEqual(files)
    expect(await loan.code('a')).toBe(code)
  })

  test('that another one calls is fetched with it', async () => {
    const { ready, code, loaded } = fallback(
      { rulesets: ['a'] },
      { a: ruleset('a', 'A', 'b'), b: ruleset('b', 'B', 'c'), c: ruleset('c', 'C') },
    )
    await ready
    await expect.poll(() => loaded, SOON).toEqual(['a', 'b', 'c'])
    await expect.poll(() => code('a'), SOON).toBe('A')
  })

  test('that cannot be read replaces none', async () => {
    const { code, look, stored } = fallback({ refreshMs: 10 }, { a: ruleset('a', 'A') })
    await look('a')
    for (const text of ['{', '{}', '[]']) {
      stored['a'] = text
      expect([await look('a', 10), await code('a')]).toEqual([1, 'A'])
    }
  })

  test('that arrives after the end is not taken', async () => {
    const { close, code, look } = fallback({}, { a: ruleset('a', 'A') })
    close()
    await look('a')
    expect(await code('a')).toBeUndefined()
  })
})

describe('in a directory', () => {
  test('a ruleset is kept for the next start', async () => {
    const options = { rulesets: ['a'], directory: join(scratch, 'x', 'y') }
    await fallback(options, { a: ruleset('a', 'A') }).ready
    const second = fallback(options, { a: UNREACHABLE })
    await second.ready
    expect(await second.code('a')).toBe('A')
  })

  test('a ruleset has a file of its own there, whatever its name is', async () => {
    const directory = mkdtempSync(join(scratch, 'names'))
    const text = ruleset('../a', 'A')
    await fallback({ rulesets: ['../a'], directory }, { '../a': text }).ready
    expect(readdirSync(directory)).toEqual(['..%2Fa.json'])
    expect(readFileSync(join(directory, '..%2Fa.json'), 'utf8')).toBe(text)
  })

  test('the file counts until the engine answers', async () => {
    const directory = mkdtempSync(join(scratch, 'z'))
    writeFileSync(join(directory, 'a.json'), ruleset('a', 'FILE'))
    const loan = fallback({ rulesets: ['a'], directory, refreshMs: 10 }, { a: UNREACHABLE })
    await loan.ready
    expect(await loan.code('a')).toBe('FILE')
    loan.stored['a'] = ruleset('a', 'ENGINE')
    await loan.look('a', 10)
    await expect.poll(() => readFileSync(join(directory, 'a.json'), 'utf8'), SOON).toBe(ruleset('a', 'ENGINE'))
    expect(await loan.code('a')).toBe('ENGINE')
  })
})

test('a decision needs an object', async () => {
  const { ready, decide } = fallback({ rulesets: ['a'] }, { a: ruleset('a', 'A') })
  await ready
  await expect(decide('a', 1, false)).rejects.toMatchObject({ kind: 'invalid' })
})
