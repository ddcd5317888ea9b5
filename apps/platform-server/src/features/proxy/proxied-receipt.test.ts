import { ReceiptLog, receiptOf, programParts, type Receipt } from '@engine/receipts'
import { generateKeys, parsePrivateKey } from '@engine/signing'
import { HttpError } from '@engine/http-server'
import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { PlatformError } from '../../errors.ts'
import { asRequest, MemoryBudget } from '../../memory/memory-budget.ts'
import type { Destination, Destinations } from './destinations.ts'
import { keptBy, receiptIn, UnreadableReceipt } from './proxied-receipt.ts'

/* What passes of an engine's answer that should be a receipt. */

const INSTANCE = 'eu-1/01990000-0000-7000-8000-000000000000'
const PLACE = { instance: INSTANCE, seq: 1 }
const HASH = Buffer.alloc(32, 1).toString('base64url')

/** A chain whose entry 0 states lost decisions; entries 1 and 2 are decisions of `fee` and of its candidate. */
function receipts() {
  const privateKey = parsePrivateKey(generateKeys().privateKey)
  const log = new ReceiptLog({ instance: INSTANCE, engine: '1.0.0', privateKey })
  log.addLost(3)
  for (const name of ['fee', 'fee.r7'])
    log.add(
      {
        parts: programParts({ digest: '0'.repeat(64), name, version: '1.0.0' }, undefined),
        now: 1,
        outcome: { code: 'OK', message: HASH, output: HASH },
        tenant: 'default',
        trust: { calls: '', input: HASH },
        uses: [],
      },
      2,
    )
  const signed = log.checkpoint(3)
  if (signed === undefined) throw new Error('there is nothing to sign')
  const evidence = { input: [Buffer.alloc(16, 1).toString('base64url'), '{"age":20}'] as const }
  return [0, 1, 2].map((seq) => receiptOf(signed, seq, evidence))
}
const [lost, decision, candidate] = receipts() as [Receipt, Receipt, Receipt]
const { evidence: _, ...bare } = decision

interface Answered {
  readonly statusCode?: number
  readonly headers?: Readonly<Record<string, string>>
  /** Undefined: the decision with its evidence. */
  readonly parts?: readonly (string | Buffer)[]
}

function answer({ statusCode = 200, headers = {}, parts = [JSON.stringify(decision)] }: Answered) {
  const body = Readable.from(parts.map((part) => Buffer.from(part)))
  return { statusCode, headers, body }
}

const passed = (answered: Answered, place = PLACE, isShown = (_name: string) => true) =>
  receiptIn(answer(answered), place, isShown)

describe('the receipt in an answer', () => {
  test('passes without its evidence', async () => {
    expect(decision.evidence).toBeDefined()
    expect(await passed({})).toEqual(bare)
  })

  test('passes in any number of parts, also where one ends within a character', async () => {
    const text = JSON.stringify({ ...decision, evidence: { input: [decision.evidence?.input?.[0], '{"name":"Zoë"}'] } })
    const bytes = Buffer.from(text)
    const within = bytes.indexOf('ë') + 1
    expect(await passed({ parts: [bytes.subarray(0, within), bytes.subarray(within)] })).toEqual(bare)
  })

  test('is shown by the name of its ruleset, that of a candidate by the ruleset that it may replace', async () => {
    const asked: string[] = []
    const isShown = (name: string) => asked.push(name) > 0
    await passed({}, PLACE, isShown)
    await passed({ parts: [JSON.stringify(candidate)] }, { ...PLACE, seq: 2 }, isShown)
    expect(asked).toEqual(['fee', 'fee'])
  })

  test('does not exist for those who do not reach its ruleset', async () => {
    const refused = await passed({}, PLACE, () => false).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(HttpError)
    expect(refused).toMatchObject({ code: 'not-found', message: `there is no receipt \`${INSTANCE}#1\`` })
  })
})

const SHORT = 1024 * 1024
/** White space may follow a JSON value. */
const padded = (size: number) => JSON.stringify(decision).padEnd(size)

describe('another answer', () => {
  test.each<[title: string, answered: Answered, place: typeof PLACE, message: string | RegExp]>([
    ['a failure', { statusCode: 500 }, PLACE, 'it answered with the status 500 instead of a receipt'],
    ['a status of success without a receipt', { statusCode: 204 }, PLACE, /with the status 204/],
    ['a compressed receipt', { headers: { 'content-encoding': 'gzip' } }, PLACE, /with the status 200/],
    ['no JSON', { parts: ['<html>'] }, PLACE, /^its receipt cannot be read: the receipt is not valid JSON/],
    ['nothing', { parts: [] }, PLACE, /^its receipt cannot be read: /],
    [
      'a receipt with an entry that is none',
      { parts: [JSON.stringify({ ...decision, entry: '{}' })] },
      PLACE,
      /^its receipt cannot be read: the entry has no /,
    ],
    ['the receipt of another number', {}, { ...PLACE, seq: 2 }, 'it answered with another receipt'],
    ['the receipt of another log', {}, { ...PLACE, instance: `${INSTANCE}1` }, 'it answered with another receipt'],
    [
      'the statement of lost decisions',
      { parts: [JSON.stringify(lost)] },
      { ...PLACE, seq: 0 },
      'it answered with another receipt',
    ],
    [
      'more than a megabyte',
      { parts: [padded(SHORT), ' '] },
      PLACE,
      'its receipt has more than 1048576 bytes: read it at the engine',
    ],
  ])('is refused: %s', async (_title, answered, place, message) => {
    const refused: unknown = await passed(answered, place).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(UnreadableReceipt)
    expect((refused as Error).message).toMatch(message)
  })

  test('passes where it has a megabyte exactly', async () => {
    expect(await passed({ parts: [padded(SHORT)] })).toEqual(bare)
  })

  test.each<[statusCode: number, error: object]>([
    [404, { code: 'not-found', message: `there is no receipt \`${INSTANCE}#1\`` }],
    [
      409,
      {
        code: 'conflict',
        message: `the receipt ${INSTANCE}#1 is not signed yet: retry later`,
        details: [expect.objectContaining({ code: 'not_signed_yet' })],
      },
    ],
  ])('with the status %d is passed on, and the rest of it is not read', async (statusCode, expected) => {
    const given = answer({ statusCode })
    const refused: unknown = await receiptIn(given, PLACE, () => true).catch((error: unknown) => error)
    expect(refused instanceof HttpError || refused instanceof PlatformError).toBe(true)
    expect(refused).toMatchObject(expected)
    expect(given.body.destroyed).toBe(true)
  })
})

describe('the memory of a receipt', () => {
  /** Bytes that one of several requests of an organization may hold. */
  const PART = 256 * 1024
  const inFull = (size: number) => {
    const budget = new MemoryBudget(2 * PART)
    budget.request().hold(PART)
    return asRequest(budget.request(), () => passed({ parts: [padded(size)] }))
  }

  test('is counted four times, for its bytes, text and values', async () => {
    await expect(inFull(16 * 1024)).rejects.toMatchObject({ code: 'overloaded' })
    expect(await inFull(16 * 1024 - 1)).toEqual(bare)
  })
})

describe('the engine that keeps a log', () => {
  const engine = (id: string) => ({ id }) as Destination
  const destinations = {
    id: 'e',
    engines: [engine('a'), engine('b')],
    canaries: [engine('c')],
  } as unknown as Destinations

  test.each(['a', 'b', 'c'])('%s is asked alone, of the engines and of those for candidates', (id) => {
    expect(keptBy(destinations, id, PLACE)).toEqual({ ...destinations, engines: [engine(id)], canaries: [] })
  })

  test.each([undefined, 'd'])('%s is none of the environment', (id) => {
    expect(() => keptBy(destinations, id, PLACE)).toThrow(`there is no receipt \`${INSTANCE}#1\``)
  })
})
