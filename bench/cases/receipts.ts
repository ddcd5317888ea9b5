import {
  canonicalText,
  commitmentOf,
  createSalt,
  programParts,
  ReceiptLog,
  receiptOf,
  separateFields,
} from '@engine/receipts'
import { generateKeys, parsePrivateKey } from '@engine/signing'
import { median, table } from '../measure.ts'

const INPUT = {
  age: 21,
  country: 'DE',
  customer: { id: 'c-1842', tier: 'gold', since: '2019-04-01' },
  order: {
    total: 129.9,
    items: [
      { sku: 'a', n: 2 },
      { sku: 'b', n: 1 },
    ],
  },
}
const OUTPUT = { allowed: true, limit: 500, reason: 'over 18' }
const PARTS = programParts({ digest: '0'.repeat(64), name: 'adult-check', version: '1.4.0' }, undefined)
const FIELDS = ['age', 'country', 'customer.id', 'order.total']

const ROUNDS = 7
const DECISIONS = 20_000

/** Microseconds of processor time of one of so many units: other programs on the machine are not counted. */
function processorTime(units: number, run: () => void): number {
  const rounds = Array.from({ length: ROUNDS }, () => {
    const start = process.cpuUsage()
    run()
    const { user, system } = process.cpuUsage(start)
    return (user + system) / units
  })
  return median(rounds)
}

interface Treatment {
  readonly fields: readonly string[]
  /** Every decision gets its receipt as text. */
  readonly isAsked: boolean
}

function decide(log: ReceiptLog, { fields }: Treatment) {
  const time = Date.now()
  const separated = separateFields(INPUT, fields)
  const input = [createSalt(), canonicalText(separated.input)] as const
  const output = [createSalt(), canonicalText(OUTPUT)] as const
  const message = [createSalt(), '""'] as const
  const seq = log.add(
    {
      parts: PARTS,
      now: time,
      outcome: { code: 'ADULT', message: commitmentOf(message), output: commitmentOf(output) },
      tenant: 'default',
      trust: { calls: '', input: commitmentOf(input) },
      uses: [],
    },
    time,
  )
  return { seq, evidence: { input, output, message, fields: separated.fields } }
}

/** Decisions with receipts, so many in each checkpoint. */
function measured(size: number, treatment: Treatment): number {
  const privateKey = parsePrivateKey(generateKeys().privateKey)
  const decisions = size === 1 ? DECISIONS / 10 : DECISIONS
  let written = 0
  return processorTime(decisions, () => {
    const log = new ReceiptLog({ instance: 'bench/0', engine: '0.2.0', privateKey })
    for (let from = 0; from < decisions; from += size) {
      const made = Array.from({ length: size }, () => decide(log, treatment))
      const signed = log.checkpoint(Date.now())
      if (signed === undefined || !treatment.isAsked) continue
      for (const { seq, evidence } of made) written += JSON.stringify(receiptOf(signed, seq, evidence)).length
    }
    if (written < 0) throw new Error('nothing was written')
  })
}

/** Processor time of a decision's entry, commitments, tree and signature, by the size of the trees. */
export function receipts(): void {
  const plain: Treatment = { fields: [], isAsked: false }
  const asked: Treatment = { fields: [], isAsked: true }
  table(
    ['decisions a checkpoint', 'us a decision', 'with the receipt as text', 'with four fields apart'],
    [1, 10, 100, 1000, 20_000].map((size) => [
      `${size}`,
      measured(size, plain),
      measured(size, asked),
      measured(size, { ...plain, fields: FIELDS }),
    ]),
  )
}
