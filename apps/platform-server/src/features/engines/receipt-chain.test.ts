import { ReceiptLog } from '@engine/receipts'
import { generateKeys, parsePrivateKey } from '@engine/signing'
import { describe, expect, test } from 'vitest'
import { chainsIn, type ChainFault, compareChain } from './receipt-chain.ts'

const privateKey = parsePrivateKey(generateKeys().privateKey)
const INSTANCE = 'eu-1/01990000-0000-7000-8000-000000000000'

/** The checkpoints of a log; each signs as many entries as the list has, at successive times. */
function checkpoints(counts: readonly number[], { instance = INSTANCE, from = 1000 } = {}) {
  const log = new ReceiptLog({ instance, engine: '1.0.0', privateKey })
  return counts.map((count, index) => {
    log.addLost(count)
    for (let more = 1; more < count; more++) log.addLost(1)
    const { checkpoint, signature } = log.checkpoint(from + index) ?? { checkpoint: '', signature: '' }
    return { checkpoint, signature }
  })
}

type Signed = ReturnType<typeof checkpoints>[number]

const LOG = checkpoints([2, 3, 1, 4])
const [FIRST, SECOND, THIRD, FOURTH] = LOG as [Signed, Signed, Signed, Signed]
/** The same numbers with other entries. */
const OTHER = checkpoints([2, 3, 2, 4]) as [Signed, Signed, Signed, Signed]
const EARLIER = checkpoints([2, 3, 1, 4], { from: 1 }) as [Signed, Signed, Signed, Signed]
const SHORTER = checkpoints([1, 1, 1, 1]) as [Signed, Signed, Signed, Signed]

function compare(known: Signed | undefined, opened: Signed | null, latest: Signed | null, opening = 'b') {
  const report = { chains: [{ instance: INSTANCE, opening, opened, latest, continued: true }], kept: [] }
  const [read] = chainsIn(report).chains
  if (read === undefined) throw new Error('the chain was left out')
  return compareChain(known && { opening: 'a', checkpoint: known.checkpoint }, read)
}

describe('a report beside the kept checkpoint', () => {
  test.each<[string, Signed | undefined, Signed | null, Signed | null, Signed | undefined]>([
    ['the first report', undefined, null, FIRST, FIRST],
    ['the first report of an older chain', undefined, SECOND, THIRD, THIRD],
    ['the same checkpoint after a restart', SECOND, SECOND, SECOND, SECOND],
    ['the next one', SECOND, SECOND, THIRD, THIRD],
    ['a later one', FIRST, THIRD, FOURTH, FOURTH],
  ])('%s is kept', (_name, known, opened, latest, kept) => {
    expect(compare(known, opened, latest)).toMatchObject({ kind: 'kept', latest: { text: kept?.checkpoint } })
  })

  test('an earlier checkpoint of the same opening is a late report', () => {
    expect(compare(THIRD, FIRST, SECOND, 'a')).toEqual({ kind: 'kept', latest: undefined })
    expect(compare(THIRD, null, null, 'a')).toEqual({ kind: 'kept', latest: undefined })
  })

  test.each<[string, ChainFault, Signed, Signed | null, Signed | null, string]>([
    ['the end was cut at a checkpoint', 'rolled_back', THIRD, SECOND, SECOND, 'b'],
    ['the end was cut, and as many decisions were made since', 'rolled_back', THIRD, SECOND, FOURTH, 'b'],
    ['nothing is left', 'rolled_back', FIRST, null, null, 'b'],
    ['the same number has another text', 'rewritten', THIRD, OTHER[2], OTHER[2], 'b'],
    ['the same number has another text within one opening', 'rewritten', THIRD, SECOND, OTHER[2], 'a'],
    ['the next one does not continue it', 'rewritten', THIRD, OTHER[3], OTHER[3], 'b'],
    ['a later one has fewer entries', 'rewritten', SECOND, SHORTER[3], SHORTER[3], 'b'],
    ['a later one is from an earlier time', 'rewritten', FIRST, EARLIER[3], EARLIER[3], 'b'],
    ['the opening contradicts, and the latest does not', 'rolled_back', SECOND, FIRST, THIRD, 'b'],
  ])('it is noticed that %s (%s)', (_name, fault, known, opened, latest, opening) => {
    expect(compare(known, opened, latest, opening)).toMatchObject({ kind: 'contradicted', fault })
  })
})

test.each<[string, unknown]>([
  ['nothing', undefined],
  ['a text', 'x'],
  ['chains that are no list', { chains: {}, kept: [] }],
  ['a chain of another form', { chains: [{ instance: INSTANCE }], kept: [] }],
  ['a checkpoint that is no JSON', { chains: [chain({ latest: { checkpoint: '{', signature: '' } })], kept: [] }],
  ['a checkpoint of another chain', { chains: [chain({ instance: INSTANCE.replace('eu-1', 'eu-2') })], kept: [] }],
  ['an instance without a UUID', { chains: [chain({ instance: 'eu-1' })], kept: [] }],
])('%s is left out', (_name, report) => {
  expect(chainsIn(report).chains).toEqual([])
})

function chain(more: object) {
  return { instance: INSTANCE, opening: 'a', opened: null, latest: FIRST, continued: true, ...more }
}
