import { loadPackageDefinition, status } from '@grpc/grpc-js'
import { loadSync } from '@grpc/proto-loader'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { adultCheck } from '../http/server.testing.ts'
import { clientOf, LOADING } from './client.testing.ts'
import { connected } from './connected-client.testing.ts'

/** The service of the specification's origin, by a client that knows nothing but its file. */

const FILE = join(import.meta.dirname, '../../packages/api/proto/ordo/v1/ordo.proto')

async function origin(...options: readonly string[]) {
  const { server, client: own } = await connected(...options)
  await server.post('/api/v1/rulesets', adultCheck({ config: { description: 'who may order' } }))
  await server.post('/api/v1/rulesets', adultCheck({ config: { name: 'other' } }))
  const client = clientOf(loadPackageDefinition(loadSync(FILE, LOADING)), 'ordo.v1.OrdoService', server.grpc)
  onTestFinished(() => client.close())
  return { client, own }
}

test('is absent without the option', async () => {
  const { client } = await origin()
  expect(await client.call('Health', {})).toMatchObject({ code: status.UNIMPLEMENTED })
})

test('answers under its names', async () => {
  const { client, own } = await origin('--grpc-origin-service')
  expect(
    await client.call('Execute', { ruleset_name: 'adult-check', input_json: '{"age": 21}', include_trace: true }),
  ).toEqual({
    message: {
      code: 'ADULT',
      message: 'may order',
      output_json: '{"limit":100}',
      duration_us: expect.any(Number),
      trace: {
        path: 'check -> yes',
        steps: [
          { step_id: 'check', step_name: 'Old enough?', duration_us: expect.any(Number), result: '' },
          { step_id: 'yes', step_name: 'Adult', duration_us: expect.any(Number), result: '' },
        ],
      },
    },
  })
  expect(
    await client.call('BatchExecute', {
      ruleset_name: 'other',
      inputs_json: ['{"age": 20}', 'x'],
      options: { parallel: true, include_trace: true },
    }),
  ).toMatchObject({
    message: {
      results: [
        { code: 'ADULT', error: '', trace: { path: 'check -> yes' } },
        { code: 'error', output_json: '' },
      ],
      summary: { total: 2, success: 1, failed: 1 },
    },
  })
  const first = { name: 'adult-check', version: '1.0.0', description: 'who may order', step_count: 3 }
  expect(await client.call('ListRuleSets', { limit: 1 })).toEqual({ message: { rulesets: [first], total_count: 2 } })
  expect(await client.call('ListRuleSets', { name_prefix: 'oth' })).toMatchObject({ message: { total_count: 1 } })
  expect(await client.call('GetRuleSet', { name: 'adult-check' })).toMatchObject({
    message: { version: '1.0.0', step_count: 3, ruleset_json: expect.stringContaining('adult-check') },
  })
  expect(await client.call('Eval', { expression: '1 + n', context_json: '{"n": 2}' })).toEqual({
    message: { result_json: '3', parsed_expression: '(1 + n)' },
  })
  expect(await client.call('Health', {})).toMatchObject({ message: { status: 1, ruleset_count: 2 } })
  expect(await client.call('Execute', { ruleset_name: 'nope', input_json: '{}' })).toMatchObject({
    code: status.NOT_FOUND,
  })
  expect(await own.call('Health', {})).toMatchObject({ message: { status: 'healthy' } })
})
