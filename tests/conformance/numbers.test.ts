import { isObject, type ObjectValue, parseJson, stringifyJson, type Value } from '@engine/expression'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { killAll } from '../engine-server.testing.ts'
import { engineClient, type TestClient } from '../grpc/client.testing.ts'
import { JSON_TYPE } from '../http/server.testing.ts'
import { alike, startedHere, useNats } from '../sync/fleet-over-nats.testing.ts'
import { startCrew } from '../workers.testing.ts'
import { type ConformanceData, decidedOtherwise, decisionOfCase, type RulesetCase } from './conformance-data.testing.ts'
import { readData } from './data-files.testing.ts'
import { programsOf } from './product.testing.ts'

/** `conformance/numbers.json`: what Python's decimal module computes, every way into an engine answers to the last digit. */

const CASES = readData<ConformanceData<RulesetCase>>('numbers', 'decimal').cases.map(({ ruleset, inputs }, index) => ({
  name: `main-${index}`,
  ruleset: named(ruleset, `main-${index}`),
  inputs,
}))

function named(ruleset: Value, name: string): ObjectValue {
  const { config, ...rest } = objectOf(ruleset)
  return { ...rest, config: { ...objectOf(config), name } }
}

function objectOf(value: Value | undefined): ObjectValue {
  if (value === undefined || !isObject(value)) throw new Error('this is no object')
  return value
}

/** The decision in an answer, as `decisionOfCase` writes it. A failed item of a batch has no output. */
function decisionIn(answer: Value | undefined): string {
  const { code, message, output = null } = objectOf(answer)
  if (code === undefined || output === null) return 'error'
  return stringifyJson({ code, message: message ?? null, output })
}

function read(text: string): Value {
  const parsed = parseJson(text, { duplicateKeys: 'refuse', numbers: 'decimal' })
  if (parsed.kind !== 'parsed') throw new Error(`this is no JSON: ${text}`)
  return parsed.value
}

async function post(url: string, body: string, headers: Readonly<Record<string, string>> = JSON_TYPE): Promise<string> {
  const reply = await fetch(url, { method: 'POST', body, headers })
  return reply.text()
}

/** Requests decisions of a ruleset from an engine. */
type Door = (name: string, inputs: readonly Value[]) => Promise<readonly string[]>

const byExecute =
  (url: string): Door =>
  (name, inputs) =>
    Promise.all(
      inputs.map(async (input) =>
        decisionIn(read(await post(`${url}/api/v1/execute/${name}`, stringifyJson({ input })))),
      ),
    )

const byBatch =
  (url: string): Door =>
  async (name, inputs) => {
    const { results } = objectOf(read(await post(`${url}/api/v1/execute/${name}/batch`, stringifyJson({ inputs }))))
    return (results as readonly Value[]).map((one) => decisionIn(one))
  }

const byLines =
  (url: string): Door =>
  async (name, inputs) => {
    const lines = inputs.map((input) => `${stringifyJson(input)}\n`).join('')
    const answer = await post(`${url}/api/v1/execute/${name}/batch`, lines, { 'content-type': 'application/x-ndjson' })
    const answers = answer.trim().split('\n').map(read)
    return answers.slice(0, inputs.length).map((one) => decisionIn(one))
  }

const byGrpc =
  (client: TestClient): Door =>
  (name, inputs) =>
    Promise.all(
      inputs.map(async (input) => {
        const reply = await client.call('Execute', { name, input_json: stringifyJson(input) })
        if (!('message' in reply)) return 'error'
        const { code, message, output_json: output } = reply.message as { [name: string]: string }
        return stringifyJson({ code: code ?? null, message: message ?? null, output: read(output ?? '') })
      }),
    )

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
