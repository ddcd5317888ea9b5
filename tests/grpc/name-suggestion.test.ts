import { status } from '@grpc/grpc-js'
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { adultCheck } from '../http/server.testing.ts'
import { connected, connectedForAll } from './connected-client.testing.ts'

const scratch = mkdtempSync(join(tmpdir(), 'engine-grpc-names-'))
afterAll(() => rmSync(scratch, { recursive: true }))

const MEANT = 'ruleset `adult-chek` not found: did you mean `adult-check`?'

describe('a missing ruleset is answered with the name that was probably meant', () => {
  const engine = connectedForAll()
  test.each([
    ['Execute', { name: 'adult-chek', input_json: '{}' }],
    ['Execute', { name: 'adult-chek', input_json: '{}', receipt: false, trace: true }],
    ['GetRuleSet', { name: 'adult-chek' }],
    ['BatchExecute', { name: 'adult-chek', inputs_json: ['{}'] }],
  ])('by %s of %j', async (method, request) => {
    expect(await engine.client.call(method, request)).toEqual({ code: status.NOT_FOUND, details: MEANT })
  })

  test('by a stream', async () => {
    const stream = engine.client.stream('ExecuteStream')
    const failed = new Promise<{ details?: string }>((resolve) => void stream.once('error', resolve))
    stream.resume()
    stream.write({ name: 'adult-chek', input_json: '{}' })
    expect(await failed).toMatchObject({ code: status.NOT_FOUND, details: MEANT })
    stream.end()
  })

  test('and not with one that is nothing like it', async () => {
    const reply = await engine.client.call('Execute', { name: 'tax', input_json: '{}' })
    expect(reply).toEqual({ code: status.NOT_FOUND, details: 'ruleset `tax` not found' })
  })
})

test('only senders who may list names learn one', async () => {
  const digest = (token: string) => createHash('sha256').update(token).digest('hex')
  const file = join(scratch, 'tokens')
  writeFileSync(
    file,
    `runner:execute:${digest('x')}\nreader:execute,read:${digest('r')}\nwriter:write,read,execute:${digest('w')}\n`,
  )
  const { server, client } = await connected('--api-tokens-file', file)
  await server.post('/api/v1/rulesets', adultCheck(), { authorization: 'Bearer w' })
  const ask = (token: string) =>
    client.call('Execute', { name: 'adult-chek', input_json: '{}' }, { metadata: { authorization: `Bearer ${token}` } })
  expect(await ask('x')).toEqual({ code: status.NOT_FOUND, details: 'ruleset `adult-chek` not found' })
  expect(await ask('r')).toEqual({ code: status.NOT_FOUND, details: MEANT })
})

test('names of another tenant are never suggested', async () => {
  const { server, client } = await connected('--multi-tenancy-enabled')
  for (const id of ['one', 'two']) await server.post('/api/v1/tenants', { id })
  await server.post('/api/v1/rulesets', adultCheck(), { 'x-tenant-id': 'one' })
  const ask = (tenant: string) =>
    client.call('Execute', { name: 'adult-chek', input_json: '{}' }, { metadata: { 'x-tenant-id': tenant } })
  expect(await ask('one')).toEqual({ code: status.NOT_FOUND, details: MEANT })
  expect(await ask('two')).toEqual({ code: status.NOT_FOUND, details: 'ruleset `adult-chek` not found' })
})
