import { afterAll, beforeAll, expect, test } from 'vitest'
import { useDatabase } from './databases.testing.ts'
import { startTeam, type Team } from './engines.testing.ts'
import { startPlatform, type TestPlatform } from './platform.testing.ts'

/** Decimals on the platform: digits that no double has survive storage, threads and the way to an engine. */

const database = useDatabase('postgres')
let platform: TestPlatform
let team: Team
beforeAll(async () => {
  platform = await startPlatform(database())
  team = await startTeam(platform)
})
afterAll(() => platform.stop())

const LONG = '0.1000000000000000055'
const THIRD = '3.333333333333333333333333333333333'

const draft = (name: string, numbers: string) => `{
  "config": { "name": "${name}", "version": "1.0.0", "numbers": "${numbers}", "fieldMissing": "default", "defaults": { "x": ${LONG} } },
  "startStepId": "table",
  "steps": [
    { "id": "table", "type": "table", "hitPolicy": "first",
      "columns": [{ "id": "i", "kind": "input", "field": "amount" }, { "id": "o", "kind": "output", "field": "rate" }],
      "rows": [{ "id": "r", "cells": { "i": ">= 1", "o": ${LONG} } }], "nextStepId": "end" },
    { "id": "end", "type": "terminal", "code": "OK",
      "output": [{ "name": "rate", "value": "$rate" }, { "name": "x", "value": "x" }, { "name": "third", "value": "amount / 3" }] }
  ]
}`

const send = async (method: string, path: string, body?: string) =>
  (await team.owner.request(method, `${team.P}/${path}`, body)).text

test('a draft keeps the digits of its constants, and so do its try-run and its tests', async () => {
  expect(await send('POST', 'rulesets/exact', `{"expected_seq":0,"ruleset":${draft('exact', 'decimal')}}`)).toMatch(
    /"seq": ?1/,
  )
  const stored = await send('GET', 'rulesets/exact')
  expect(stored).toContain(`"defaults":{"x":${LONG}}`)
  expect(stored).toContain(`"o":"${LONG}"`)

  const output = `"output":{"rate":${LONG},"x":${LONG},"third":${THIRD}}`
  const body = `{"ruleset":${draft('exact', 'decimal')},"input":{"amount":10}}`
  expect(await send('POST', 'rulesets/exact/trace', body)).toContain(output)

  const cases = `{"name":"thirds","cases":[
    {"name":"same","input":{"amount":10},"expect":{"code":"OK",${output}}},
    {"name":"other","input":{"amount":10},"expect":{"code":"OK","output":{"third":3.3333333333333335}}}]}`
  await send('POST', 'rulesets/exact/tests', cases)
  const run = await send('POST', 'rulesets/exact/tests/run', '{}')
  expect(run).toContain('"passed":1')
  expect(run).toContain('"failed":1')
  expect(run).toContain(`expected {\\"third\\":3.3333333333333335}, found`)
})

test('a draft of doubles decides with the nearest doubles', async () => {
  const body = `{"ruleset":${draft('doubles', 'double')},"input":{"amount":10}}`
  expect(await send('POST', 'rulesets/doubles/trace', body)).toContain(
    '"output":{"rate":0.1,"x":0.1,"third":3.3333333333333335}',
  )
})
