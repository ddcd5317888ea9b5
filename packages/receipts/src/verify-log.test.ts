import { describe, expect, test } from 'vitest'
import { linesOf, START, testChain, testKey } from '../../../tests/receipts/chains.testing.ts'
import { type Checkpoint, checkpointText, NO_CHECKPOINT, parseCheckpoint, signCheckpoint } from './checkpoint.ts'
import { keyId, parseReceiptKeys } from './keys.ts'
import type { SignedTree } from './log.ts'
import { LogVerification } from './verify-log.ts'

const { privateKey, publicText } = testKey('first')
const keys = parseReceiptKeys(publicText)
const [ID = ''] = keys.keys()

/** Codes of the faults of each line, and of the end. */
function faultsOf(lines: readonly string[], given = keys): readonly string[] {
  const verification = new LogVerification(given)
  const faults = lines.flatMap((line) => verification.line(line))
  return [...faults, ...verification.end()].map(({ code }) => code)
}

/** The tree with a checkpoint of other members, which the key has signed. */
function forged(signed: SignedTree, change: Partial<Checkpoint>): SignedTree {
  const checkpoint = checkpointText({ ...parseCheckpoint(signed.checkpoint), ...change })
  return { ...signed, checkpoint, signature: signCheckpoint(checkpoint, privateKey) }
}

/** Two trees of two decisions each. */
function chain(): readonly [SignedTree, SignedTree] {
  const made = testChain(privateKey)
  const tree = () => {
    made.add({ input: { a: 1 } })
    made.add({ input: { a: 2 } })
    return made.sign()
  }
  return [tree(), tree()]
}

const HASH = Buffer.alloc(32, 7).toString('base64url')

describe('the log of a chain', () => {
  test('holds as a whole, and from any checkpoint on', () => {
    const [first, second] = chain()
    expect(faultsOf([...linesOf(first), ...linesOf(second)])).toEqual([])
    const verification = new LogVerification(keys)
    expect(linesOf(second).flatMap((line) => verification.line(line))).toEqual([])
    expect(verification.summary).toMatchObject({ entries: 2, checkpoints: 1, lost: 0, anchor: 1, head: { n: 1 } })
  })

  test.each<readonly [string, Partial<Checkpoint>, readonly string[]]>([
    ['with the time of its last entry holds', { time: START + 10 }, []],
    ['earlier than its last entry is found', { time: START + 9 }, ['time']],
    ['of fewer entries is found', { count: 1 }, ['order', 'root']],
    ['of more entries is found', { count: 3 }, ['order', 'root']],
    ['of another root is found', { root: HASH }, ['root']],
    ['of a later place is found', { first: 1 }, ['order']],
    ['that does not begin the chain is found', { prev: HASH }, ['order']],
    ['of another instance is found', { instance: 'eu-2/01990000-0000-7000-8000-000000000000' }, ['instance']],
    ['of an unknown key is found', { key: '0'.repeat(16) }, ['unknown-key']],
  ])('a first checkpoint %s', (_, change, faults) => {
    const [first] = chain()
    expect(faultsOf(linesOf(forged(first, change)))).toEqual(faults)
  })

  test.each<readonly [string, Partial<Checkpoint>, readonly string[]]>([
    ['as early as its last entry holds', { time: START + 21 }, []],
    ['earlier than its entries is found', { time: START + 20 }, ['time']],
    ['that leaves out a number is found', { n: 2 }, ['order']],
    ['of the number before is found', { n: 0 }, ['order']],
    ['that follows another checkpoint is found', { prev: HASH }, ['order']],
    ['that begins a chain is found', { prev: NO_CHECKPOINT }, ['order']],
    ['of an earlier place is found', { first: 1 }, ['order']],
  ])('a second checkpoint %s', (_, change, faults) => {
    const [first, second] = chain()
    expect(faultsOf([...linesOf(first), ...linesOf(forged(second, change))])).toEqual(faults)
  })

  test('whose first tree is gone, but whose checkpoint calls itself the first, is found', () => {
    const [, second] = chain()
    expect(faultsOf(linesOf(forged(second, { n: 0, prev: NO_CHECKPOINT })))).toEqual(['order'])
  })

  test.each<readonly [string, (lines: readonly string[]) => readonly string[], readonly string[]]>([
    ['without its last checkpoint', (lines) => lines.slice(0, -1), ['unsigned']],
    ['without anything', () => [], ['unsigned']],
    ['without an entry', (lines) => lines.toSpliced(3, 1), ['position', 'root']],
    ['with an entry twice', (lines) => lines.toSpliced(1, 0, lines[0] ?? ''), ['position', 'root']],
    [
      'with entries in another order',
      (lines) => [lines[1] ?? '', lines[0] ?? '', ...lines.slice(2)],
      ['position', 'time', 'order', 'root', 'position'],
    ],
    ['with a line that is none', (lines) => ['{}', ...lines], ['malformed']],
  ])('%s is found', (_, change, faults) => {
    const [first, second] = chain()
    expect(faultsOf(change([...linesOf(first), ...linesOf(second)]))).toEqual(faults)
  })

  test('with an entry of another instance is found', () => {
    const other = testChain(privateKey, 'eu-2/01990000-0000-7000-8000-000000000000')
    other.add({ input: {} })
    const [first] = chain()
    const [entry = ''] = linesOf(other.sign())
    const [one = '', , checkpoint = ''] = linesOf(first)
    expect(faultsOf([one, entry.replace('"seq":0', '"seq":1'), checkpoint])).toContain('instance')
  })

  test('of a key is verified by the time of its checkpoints, both ends inclusive', () => {
    const [first] = chain()
    const { time } = parseCheckpoint(first.checkpoint)
    const key = (from: number, until: number) =>
      parseReceiptKeys(JSON.stringify({ keys: [{ public_key: publicText, from, until }] }))
    const found = (from: number, until: number) => faultsOf(linesOf(first), key(from, until))
    expect([found(time, time), found(time + 1, time + 2), found(0, time - 1)]).toEqual([
      [],
      ['expired-key'],
      ['expired-key'],
    ])
  })
})

describe('a list of keys', () => {
  const second = testKey('second').publicText
  const list = (...all: readonly object[]) => JSON.stringify({ keys: all })

  test('has a time span for each; without one a key counts always', () => {
    const read = parseReceiptKeys(
      list({ public_key: publicText, from: 5, until: 9 }, { public_key: second, from: null }),
    )
    const spans = [...read.values()].map(({ from, until }) => [from, until])
    expect(spans).toEqual([
      [5, 9],
      [0, Number.MAX_SAFE_INTEGER],
    ])
    for (const [id, { key }] of read) expect(id).toBe(keyId(key))
  })

  test('names the id of a key, which must be its own', () => {
    expect([...parseReceiptKeys(list({ public_key: publicText, key: ID })).keys()]).toEqual([ID])
    expect(() => parseReceiptKeys(list({ public_key: second, key: ID }))).toThrow('not the id')
  })

  test.each([
    ['a time that is no number', list({ public_key: publicText, from: '5' }), 'epoch milliseconds'],
    ['a part of a millisecond', list({ public_key: publicText, until: 0.5 }), 'epoch milliseconds'],
    ['a time before 1970', list({ public_key: publicText, from: -1 }), 'epoch milliseconds'],
    [
      'a span that ends before it begins',
      list({ public_key: publicText, from: 2, until: 1 }),
      'later than its `until`',
    ],
    ['a key twice', list({ public_key: publicText, until: 1 }, { public_key: publicText, from: 2 }), 'listed twice'],
    ['an unknown member', list({ public_key: publicText, to: 1 }), '`to`'],
    ['no public key', list({ key: ID }), 'public_key'],
    ['a text instead of a key', JSON.stringify({ keys: ['x'] }), 'must be an object'],
    ['no list', JSON.stringify({ keys: {} }), 'must be an object'],
    ['the same member twice', `{"keys":[],"keys":[]}`, 'not valid JSON'],
    ['a key of small order', Buffer.alloc(32).toString('base64'), 'small order'],
    ['a key of small order, with the sign bit set', Buffer.alloc(32).fill(0x80, 31).toString('base64'), 'small order'],
  ])('with %s is refused', (_, text, message) => {
    expect(() => parseReceiptKeys(text)).toThrow(message)
  })
})
