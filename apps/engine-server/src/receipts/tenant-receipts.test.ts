import type { ObjectValue } from '@engine/expression'
import { commitmentOf, parseReceiptKeys, type Receipt, verifyReceipt } from '@engine/receipts'
import { ExecutionError, type Program, type Ruleset } from '@engine/ruleset'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { Hops } from '../capabilities/hops.ts'
import { storedRuleset } from '../store/store.ts'
import { ReceiptArchive } from './archive.ts'
import { AskedReceipt } from './asked-receipt.ts'
import { KeptContents } from './contents.ts'
import type { KeeperSettings } from './keeper.ts'
import { newKey, openKeeper, publicTextOf } from './keeper.testing.ts'
import type { ExecutionRecording } from './recording.ts'
import { createTenantReceipts, type EndedExecution } from './tenant-receipts.ts'

/* The entry and the evidence of one execution. */

const key = newKey()
const keys = parseReceiptKeys(publicTextOf(key))
const DECIDED: EndedExecution = {
  input: { customer: { id: 7 }, total: 5 },
  outcome: { code: 'OK', message: 'fine', output: { limit: 1 } },
}
const call = { step: 's', capability: 'bureau', operation: 'score', payload: { id: 7 } }

function programOf(name: string, receiptFields: readonly string[] = []) {
  const document = {
    config: { name, version: '1.0.0', entry_step: 'end' },
    steps: { end: { id: 'end', type: 'terminal', result: { code: 'OK', message: '' } } },
  }
  // Receipts read these settings of a program alone.
  const ruleset = { config: { name, receiptFields } } as Ruleset
  return { program: { ruleset } as Program, stored: storedRuleset(document) }
}

/** The place, receipt and evidence of one execution. */
async function receipted(
  execution: EndedExecution,
  observe: (recording: ExecutionRecording, other: Program) => void = () => undefined,
  { fields = [], settings = {} }: { fields?: readonly string[]; settings?: Partial<KeeperSettings> } = {},
) {
  const directory = mkdtempSync(join(tmpdir(), 'engine-tenant-receipts-'))
  const keeper = await openKeeper(directory, key, settings)
  const receipts = createTenantReceipts(keeper, new KeptContents(directory), 'acme')
  const [own, other] = [programOf('own', fields), programOf('other')]
  for (const { program, stored } of [own, other]) receipts.made(program, stored)
  const recording = receipts.begin(undefined, new Hops(0))
  if (recording === undefined) throw new Error('receipts are not kept')
  observe(recording, other.program)
  const asked = new AskedReceipt()
  const place = await receipts.ended(own.program, recording, execution, asked)
  const receipt = JSON.parse((await asked.text()) ?? 'null') as Receipt
  await keeper.close()
  const { faults, entry } = verifyReceipt(JSON.stringify(receipt), keys)
  expect(faults).toEqual([])
  if (entry === undefined) throw new Error('there is no entry')
  return { directory, place, receipt, entry, size: asked.size, instance: keeper.instance }
}

describe('the receipt of an execution', () => {
  test('that decided has commitments to input, output and message, and its place', async () => {
    const { entry, place, receipt, instance } = await receipted(DECIDED)
    const { input, output, message } = receipt.evidence ?? {}
    expect(place).toBe(`${instance}#0`)
    expect(entry).toMatchObject({ tenant: 'acme', uses: [], error: undefined, ruleset: { name: 'own' } })
    expect(entry.result).toEqual({
      code: 'OK',
      message: commitmentOf(message ?? ['', '']),
      output: commitmentOf(output ?? ['', '']),
    })
    expect(entry.trust).toEqual({ calls: '', input: commitmentOf(input ?? ['', '']) })
    expect([input?.[1], output?.[1], message?.[1]]).toEqual([
      '{"customer":{"id":7},"total":5}',
      '{"limit":1}',
      '"fine"',
    ])
    expect(Object.keys(receipt.evidence ?? {}).toSorted()).toEqual(['input', 'message', 'output'])
    expect(Buffer.from(input?.[0] ?? '', 'base64url')).toHaveLength(16)
  })

  test('has the used rulesets in the order of first use, each once, and awaited calls with their outcome', async () => {
    const { entry, receipt } = await receipted(DECIDED, (recording, other) => {
      recording.reached(other)
      recording.reached(other)
      const request = {
        ...call,
        context: recording,
        isAwaited: true,
        signal: new AbortController().signal,
        ruleset: 'own',
        timeoutMs: 1,
      }
      recording.began(request)({ answer: { payload: { score: 1 }, metadata: {} } })
      recording.began(request)({ error: 'refused' })
      recording.began(request)
    })
    expect(entry.uses.map(({ name }) => name)).toEqual(['other'])
    expect(entry.trust.calls).toBe(commitmentOf(receipt.evidence?.calls ?? ['', '']))
    const shown = { step: 's', service: 'bureau', method: 'score', parameters: { id: 7 } }
    expect(JSON.parse(receipt.evidence?.calls?.[1] ?? '')).toEqual([
      { ...shown, answer: { payload: { score: 1 }, metadata: {} } },
      { ...shown, error: 'refused' },
      { ...shown, error: 'no answer' },
    ])
  })

  test.each<[title: string, error: unknown, code: string]>([
    ['by a rule', new ExecutionError('no-branch', 's', 'no branch'), 'no-branch'],
    ['by its depth', new RangeError('too deep'), 'nested-too-deeply'],
    ['by a defect', new TypeError('a secret'), 'defect'],
  ])('that failed %s has a code, and no result', async (_, error, code) => {
    const { entry, receipt } = await receipted({ input: {}, outcome: { error } })
    expect(entry).toMatchObject({ error: code, result: undefined })
    expect(Object.keys(receipt.evidence ?? {})).toEqual(['input'])
    expect(JSON.stringify(receipt)).not.toContain('secret')
  })

  test.each<[title: string, input: ObjectValue, paths: readonly string[] | undefined]>([
    ['a field that is there', DECIDED.input, ['customer.id']],
    ['no field', { total: 5 }, undefined],
  ])('commits to %s by itself', async (_, input, paths) => {
    const { receipt } = await receipted({ ...DECIDED, input }, undefined, { fields: ['customer.id'] })
    const { fields, input: text } = receipt.evidence ?? {}
    expect(fields && Object.keys(fields)).toEqual(paths)
    expect(text?.[1].includes('$commitment')).toBe(paths !== undefined)
  })

  test('counts its evidence with all parts', async () => {
    const [small, large] = await Promise.all([
      receipted({ input: {}, outcome: { error: new TypeError() } }),
      receipted({ ...DECIDED, input: { customer: { id: 'x'.repeat(1000) } } }, undefined, { fields: ['customer.id'] }),
    ])
    expect(small.size).toBe(2000 + '{}'.length)
    const { input, output, message, fields } = large.receipt.evidence ?? {}
    const parts = [input, output, message, ...Object.values(fields ?? {})]
    expect(large.size).toBe(2000 + parts.reduce((sum, part) => sum + (part?.[1].length ?? 0), 0))
  })

  test.each([
    [true, true],
    [false, false],
  ])('is stored with evidence only where that is kept: %s', async (keepsEvidence, isStored) => {
    const { directory, instance } = await receipted(DECIDED, undefined, { settings: { keepsEvidence } })
    const found = await new ReceiptArchive(directory).find(instance, 0, true)
    if (found.kind !== 'found') throw new Error(found.kind)
    expect(found.receipt.evidence !== undefined).toBe(isStored)
  })

  test('is not begun where none can be written, and decisions continue', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'engine-tenant-receipts-'))
    const keeper = await openKeeper(directory, key, { continuesOnFailure: true })
    const receipts = createTenantReceipts(keeper, new KeptContents(directory))
    await keeper.close()
    expect(receipts.begin(undefined, new Hops(0))).toBeUndefined()
    expect(keeper.unstated).toBe(1)
  })

  test('is refused for a program of no stored ruleset', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'engine-tenant-receipts-'))
    const keeper = await openKeeper(directory, key)
    const receipts = createTenantReceipts(keeper, new KeptContents(directory))
    const recording = receipts.begin(undefined, new Hops(0))
    if (recording === undefined) throw new Error('receipts are not kept')
    await expect(receipts.ended(programOf('x').program, recording, DECIDED, undefined)).rejects.toThrow(
      'a program of no stored ruleset has no receipts',
    )
    await keeper.close()
  })

  test.each([
    [true, 'undefined'],
    [false, 'receipts-unavailable'],
  ])('whose content cannot be stored: decisions continue %s', async (continuesOnFailure, expected) => {
    const directory = mkdtempSync(join(tmpdir(), 'engine-tenant-receipts-'))
    const keeper = await openKeeper(directory, key, { continuesOnFailure })
    writeFileSync(join(directory, 'content'), 'a file in the way')
    const receipts = createTenantReceipts(keeper, new KeptContents(directory))
    const { program, stored } = programOf('own')
    receipts.made(program, stored)
    const recording = receipts.begin(undefined, new Hops(0))
    if (recording === undefined) throw new Error('receipts are not kept')
    const outcome = await receipts
      .ended(program, recording, DECIDED, undefined)
      .catch(({ code }: { readonly code: string }) => code)
    expect(String(outcome)).toBe(expected)
    await keeper.close()
  })
})
