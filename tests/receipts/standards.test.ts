import { parseReceiptKeys, verifyReceipt } from '@engine/receipts'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { startServer, type TestServer } from '../http/server.testing.ts'
import { receiptFolder } from './server.testing.ts'

const folder = receiptFolder('ask')
const keys = parseReceiptKeys(readFileSync(folder.publicFile, 'utf8'))
const mappingFile = join(folder.folder, 'mapping.json')

const terminal = (id: string, code: string) => ({ id, type: 'terminal', result: { code, message: '' } })
const RULESET = {
  config: { name: 'owners', entry_step: 'check' },
  steps: {
    check: {
      id: 'check',
      type: 'decision',
      branches: [
        { condition: 'resource.id == "broken" && 1 / 0 > 1', next_step: 'yes' },
        { condition: 'subject.id == "ada"', next_step: 'yes' },
      ],
      default_next: 'no',
    },
    yes: terminal('yes', 'PERMIT'),
    no: terminal('no', 'DENY'),
  },
}

let server: TestServer
let silent: TestServer
beforeAll(async () => {
  const rule = { ruleset: 'owners', permit: ['PERMIT'] }
  writeFileSync(mappingFile, JSON.stringify({ rules: [{ ...rule, resource: 'record' }], context: [] }))
  server = await startServer('--authzen-config', mappingFile, ...folder.options)
  silent = await startServer('--authzen-config', mappingFile)
  for (const one of [server, silent]) await one.post('/api/v1/rulesets', RULESET)
})
afterAll(() => Promise.all([server.stop(), silent.stop()]))

const request = (id: string, receipt: unknown, resource = 'r1', type = 'record') => ({
  subject: { type: 'user', id },
  action: { name: 'read' },
  resource: { type, id: resource },
  options: { receipt },
})
const evaluate = (one: TestServer, path: string, body: object) => one.post(`/access/v1/${path}`, body)

function codeOf(receipt: unknown): unknown {
  const { faults, entry } = verifyReceipt(JSON.stringify(receipt), keys)
  expect(faults).toEqual([])
  return entry?.result?.code ?? entry?.error
}

test.each([
  ['ada', true, 'PERMIT'],
  ['bob', false, 'DENY'],
])('an evaluation of %s carries its receipt in the context', async (id, decision, code) => {
  for (const path of ['evaluation', 'evaluation?', 'evaluations']) {
    const { status, body } = await evaluate(server, path, request(id, true))
    expect([status, body.decision, Object.keys(body)]).toEqual([200, decision, ['decision', 'context']])
    expect(codeOf(body.context.receipt)).toBe(code)
  }
})

test('each evaluation of a batch carries its receipt, a failed one too', async () => {
  const { options, ...whole } = request('ada', true)
  const evaluations = [{}, { subject: { type: 'user', id: 'bob' } }, { resource: { type: 'record', id: 'broken' } }]
  const { body } = await evaluate(server, 'evaluations', { ...whole, options, evaluations })
  const items = body.evaluations as { decision: boolean; context: { receipt: unknown; error?: { status: number } } }[]
  expect(items.map(({ decision, context }) => [decision, codeOf(context.receipt), context.error?.status])).toEqual([
    [true, 'PERMIT', undefined],
    [false, 'DENY', undefined],
    [false, expect.any(String), 500],
  ])
})

test.each([
  ['another value of the option', request('ada', 'true'), 'evaluation'],
  ['no rule', request('ada', true, 'r1', 'cake'), 'evaluation'],
])('%s: no receipt', async (_, body, path) => {
  const answer = await evaluate(server, path, body)
  expect([answer.status, answer.body.context?.receipt]).toEqual([200, undefined])
})

test.each(['evaluation', 'evaluations'])('an engine without receipts refuses to answer %s with one', async (path) => {
  const { status, body } = await evaluate(silent, path, request('ada', true))
  expect([status, body.code]).toEqual([400, 'RECEIPTS_OFF'])
})

test('an evaluated flag names the place of its receipt where every decision has one', async () => {
  const all = receiptFolder('all')
  const one = await startServer('--ofrep', 'all', ...all.options)
  onTestFinished(() => one.stop())
  await one.post('/api/v1/rulesets', RULESET)
  const { body, headers } = await one.post('/ofrep/v1/evaluate/flags/owners', {
    context: { subject: { id: 'ada' }, resource: { id: 'r1' } },
  })
  expect(body.metadata).toMatchObject({ ruleset: 'owners', receipt: expect.stringMatching(/^eu-1\/[-0-9a-f]{36}#0$/) })
  expect(headers.get('x-engine-receipt')).toBe(body.metadata.receipt)
})
