import { stringifyJson } from '@engine/expression'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { killAll } from '../engine-server.testing.ts'
import { engineClient, type TestClient } from '../grpc/client.testing.ts'
import { alike, startedHere, useNats } from '../sync/fleet-over-nats.testing.ts'
import { startCrew } from '../workers.testing.ts'
import { type ConformanceData, decidedOtherwise, decisionOfCase, type RulesetCase } from './conformance-data.testing.ts'
import { readData } from './data-files.testing.ts'
import { byBatch, byExecute, byGrpc, byLines, type Door, namedCases, post } from './decimal-doors.testing.ts'
import { programsOf } from './product.testing.ts'

/** `conformance/numbers.json`: what Python's decimal module computes, every way into an engine answers to the last digit. */

const CASES = namedCases(readData<ConformanceData<RulesetCase>>('numbers', 'decimal').cases)

async function expectAll(door: Door): Promise<void> {
  for (const { name, inputs } of CASES) {
    const found = await door(
      name,
      inputs.map(({ input }) => input),
    )
    expect([name, found]).toEqual([name, inputs.map((one) => decisionOfCase(one))])
  }
}

test('the interpreter and generated code', () => {
  expect(CASES.length).toBeGreaterThan(100)
  expect(CASES.flatMap(({ ruleset, inputs }) => decidedOtherwise(programsOf(ruleset, new Map()), inputs))).toEqual([])
})

describe('a server of two workers', () => {
  let url: string
  let client: TestClient
  beforeAll(async () => {
    const crew = await startCrew('--grpc-addr', '127.0.0.1:0')
    url = crew.url
    client = engineClient(/(127\.0\.0\.1:\d+) \(gRPC\)/.exec(crew.stdout())?.[1] ?? '')
    for (const { ruleset } of CASES) await post(`${url}/api/v1/rulesets`, stringifyJson(ruleset))
  })
  afterAll(async () => {
    client.close()
    await killAll()
  })

  test.each([
    ['execute', () => byExecute(url)],
    ['batch', () => byBatch(url)],
    ['lines of JSON', () => byLines(url)],
    ['gRPC', () => byGrpc(client)],
  ])('%s', async (_name, door) => expectAll(door()))
})

describe('replication', () => {
  useNats()
  test('a reader that got the rulesets of a writer from the broker', async () => {
    const writer = await startedHere('writer', 'w')
    const reader = await startedHere('reader', 'r')
    for (const { ruleset } of CASES) await post(`${writer.url}/api/v1/rulesets`, stringifyJson(ruleset))
    await alike(writer, reader)
    await expectAll(byExecute(reader.url))
  })
})
