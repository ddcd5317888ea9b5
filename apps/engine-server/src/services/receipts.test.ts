import type { ReceiptsReport } from '@engine/api'
import { Malformed, type Receipt } from '@engine/receipts'
import { describe, expect, test } from 'vitest'
import { EngineError } from '../errors.ts'
import type { FoundReceipt, ReceiptArchive } from '../receipts/archive.ts'
import { createReceiptService, withKeys } from './receipts.ts'

/* Reading receipts for one tenant: whose they are, and why there is none. */

const OWN = 'eu-1/01990000-0000-7000-8000-000000000000'
const OTHER = 'eu-2/01990000-0000-7000-8000-000000000000'
const RECEIPT = { entry: 'text' } as Receipt
const MINE: FoundReceipt = { kind: 'found', receipt: RECEIPT, tenant: 'acme' }

/** A service of the tenant `acme` in the process that writes `OWN`, whose entry 7 is not written yet. */
function serviceWith(archive: Partial<ReceiptArchive>) {
  const keeper = { instance: OWN, isPending: (seq: number) => seq === 7 }
  return createReceiptService(archive as ReceiptArchive, keeper, 'acme')
}

const outcomeOf = (running: Promise<unknown>) =>
  running.then(
    (value) => value,
    (error: unknown) => (error instanceof EngineError ? [error.code, error.message] : error),
  )

const NOT_SIGNED = (place: string) => [
  'not-signed-yet',
  `receipt ${place} is not signed yet: retry after --receipts-interval-ms`,
]
const UNKNOWN = (place: string) => ['not-found', `receipt ${place} not found`]

describe('a receipt', () => {
  test.each<[title: string, instance: string, seq: number, found: FoundReceipt, expected: unknown]>([
    ['of the tenant is shown', OWN, 1, MINE, JSON.stringify(RECEIPT)],
    ['of another chain is shown, whatever is pending here', OTHER, 7, MINE, JSON.stringify(RECEIPT)],
    ['of another tenant is unknown', OWN, 1, { ...MINE, tenant: 'default' }, UNKNOWN(`1 of \`${OWN}\``)],
    ['that is in no log is unknown', OTHER, 1, { kind: 'unknown' }, UNKNOWN(`1 of \`${OTHER}\``)],
    ['that is pending here is not signed yet', OWN, 7, { kind: 'unknown' }, NOT_SIGNED(`7 of \`${OWN}\``)],
    [
      'after the end of another chain is not signed yet',
      OTHER,
      9,
      { kind: 'unsigned' },
      NOT_SIGNED(`9 of \`${OTHER}\``),
    ],
    ['whose number was never given here is unknown', OWN, 9, { kind: 'unsigned' }, UNKNOWN(`9 of \`${OWN}\``)],
  ])('%s', async (_, instance, seq, found, expected) => {
    const service = serviceWith({ find: async () => found, erase: async () => true })
    expect(await outcomeOf(service.text(instance, seq, false))).toEqual(expected)
    const erased = await outcomeOf(service.erase(instance, seq))
    expect(erased).toEqual(found.kind === 'found' && found.tenant === 'acme' ? undefined : expected)
  })

  test.each([true, false])('is read with evidence only where that is permitted: %s', async (withEvidence) => {
    const asked: unknown[] = []
    const find: ReceiptArchive['find'] = async (...place) => {
      asked.push(place)
      return MINE
    }
    await serviceWith({ find }).text(OWN, 3, withEvidence)
    expect(asked).toEqual([[OWN, 3, withEvidence]])
  })

  test('without stored evidence has none to erase', async () => {
    const service = serviceWith({ find: async () => MINE, erase: async () => false })
    expect(await outcomeOf(service.erase(OWN, 3))).toEqual([
      'not-found',
      `receipt 3 of \`${OWN}\` has no stored evidence`,
    ])
  })

  test.each<[title: string, cause: Error, expected: unknown]>([
    [
      'a log that was changed',
      new Malformed('the checkpoint has no `n`'),
      ['storage-failed', expect.stringContaining('the log of receipts cannot be read: the checkpoint has no `n`')],
    ],
    [
      'a disk that fails',
      Object.assign(new Error('i/o error'), { code: 'EIO' }),
      ['storage-failed', expect.stringContaining('the log of receipts cannot be read: i/o error')],
    ],
    ['a defect', new TypeError('a defect'), new TypeError('a defect')],
  ])('that cannot be read names %s', async (_, cause, expected) => {
    const failing = async () => Promise.reject(cause)
    expect(await outcomeOf(serviceWith({ find: failing }).text(OWN, 1, false))).toEqual(expected)
    const service = serviceWith({ find: async () => MINE, erase: failing })
    expect(await outcomeOf(service.erase(OWN, 1))).toEqual(expected)
  })
})

describe('a report with keys', () => {
  const report: ReceiptsReport = { chains: [], kept: ['one'] }
  const numbered = (count: number, from = 0) => Array.from({ length: count }, (_, index) => ({ from: from + index }))

  test.each([
    ['all', numbered(100), numbered(100)],
    ['the last hundred', numbered(101), numbered(100, 1)],
    ['none', [], []],
  ])('has %s of the directory', async (_, known, reported) => {
    expect(await withKeys(report, { keys: async () => known })).toEqual({ ...report, keys: reported })
  })

  test('goes without those that cannot be read', async () => {
    const keys = async () => Promise.reject(new EngineError('storage-failed', 'the disk fails'))
    expect(await withKeys(report, { keys })).toEqual(report)
  })

  test('hides no defect', async () => {
    await expect(withKeys(report, { keys: async () => Promise.reject(new TypeError('x')) })).rejects.toThrow('x')
  })
})
