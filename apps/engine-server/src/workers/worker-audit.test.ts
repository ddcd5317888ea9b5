import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { memoryLog } from '../../../../packages/process/src/log.testing.ts'
import type { FromWorker } from './messages.ts'
import { openWorkerAudit } from './worker-audit.ts'

const BY = { token: 't', address: '::1', requestId: 'r' }

/** The audit of a worker, and the messages to its owner. */
async function opened(tell?: (message: FromWorker) => Promise<void>) {
  const told: FromWorker[] = []
  const audit = await openWorkerAudit(
    {
      directory: join(tmpdir(), 'engine-worker-audit'),
      sampleRate: 100,
      includePayload: false,
      instanceId: 'one',
      log: memoryLog().log,
    },
    async (message) => {
      told.push(message)
      await tell?.(message)
    },
  )
  const events = () =>
    told.flatMap((message) =>
      message.kind === 'audit'
        ? message.text
            .trimEnd()
            .split('\n')
            .map((line) => (JSON.parse(line) as { event: string }).event)
        : [],
    )
  return { audit, told, events }
}

const EXECUTION = {
  name: 'tax',
  version: '1.0.0',
  seconds: 0,
  code: 'OK',
  error: undefined,
  violations: 0,
  traceId: undefined,
  input: {},
  output: {},
}

test('a worker passes on executions alone: changes, starts and refusals are events of the owner', async () => {
  const { audit, events } = await opened()
  const rules = audit.forTenant(undefined)
  audit.serverStarted()
  await rules.created({ name: 'a', version: '1' }, BY)
  await rules.updated({ name: 'a', from: '1', to: '2' }, BY)
  await rules.rolledBack({ name: 'a', from: '2', to: '1', seq: 1 }, BY)
  await rules.deleted({ name: 'a', version: '1' }, BY)
  rules.signatureRejected({ name: 'a', origin: 'api', reason: 'no signature' }, BY)
  audit.changeRefused({ method: 'PUT', path: '/', status: 403, reason: 'no', tenant: undefined }, BY)
  await audit.auditable()
  await audit.tenants.auditable()
  await audit.tenants.deleted('a', BY)
  rules.executed(EXECUTION)
  rules.ruleReported({ name: 'tax', step: 's', payload: 1 })
  audit.serverStopped()
  await audit.close()
  expect([events(), await audit.fault(), audit.dropped]).toEqual([['rule_executed', 'rule_executed'], undefined, 0])
})

test('the owner sets the share of executions', async () => {
  const { audit, events } = await opened()
  audit.follow(0)
  audit.forTenant('a').executed(EXECUTION)
  audit.follow(100)
  audit.forTenant('a').executed(EXECUTION)
  await audit.close()
  expect([events(), audit.sampleRate.get()]).toEqual([['rule_executed'], 100])
})

test('lines that do not reach the owner are reported to it as lost', async () => {
  const { audit, told } = await opened(async ({ kind }) => {
    if (kind === 'audit') throw new Error('the owner is gone')
  })
  for (let count = 0; count < 3; count++) audit.forTenant(undefined).executed(EXECUTION)
  await audit.close()
  expect(told.at(-1)).toEqual({ kind: 'audit-lost', count: 3 })
})
