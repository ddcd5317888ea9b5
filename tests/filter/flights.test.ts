import { DuckDBInstance } from '@duckdb/node-api'
import { createDecisionSql } from '@engine/filter'
import { createProgram, decodeRuleset, type Decision } from '@engine/ruleset'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { FLIGHTS_FILE, readFlights } from '../../examples/flights/flight.ts'
import { testHost } from '../../packages/ruleset/src/host.testing.ts'

const DOCUMENT = join(import.meta.dirname, '../../examples/flight-compensation/ruleset.json')

const keyOf = (parts: readonly unknown[]) => JSON.stringify(parts.map((part) => part ?? null))

test('231,083 flights: the query in DuckDB counts what the engine decides', async () => {
  const { ruleset } = decodeRuleset(JSON.parse(readFileSync(DOCUMENT, 'utf8')))
  expect.assert(ruleset !== undefined)

  const flights = readFlights()
  const program = createProgram(ruleset, testHost())
  const begin = performance.now()
  const decided = new Map<string, number>()
  for (const flight of flights) {
    const { code, output } = program.decide({ ...flight }) as Decision
    const key = keyOf([code, output['amount_eur'], output['care']])
    decided.set(key, (decided.get(key) ?? 0) + 1)
  }
  const inProcess = performance.now() - begin

  const connection = await (await DuckDBInstance.create(':memory:')).connect()
  await connection.run(`create table flights as select * from read_json('${FLIGHTS_FILE}')`)
  const { sql } = createDecisionSql(ruleset, { dialect: 'duckdb', table: 'flights' }, 0)
  const start = performance.now()
  const reader = await connection.runAndReadAll(
    `select code, amount_eur, care, count(*)::integer as flights from (${sql}) group by all`,
  )
  const inDatabase = performance.now() - start
  const counted = new Map(
    reader.getRows().map(([code, amount, care, count]) => [keyOf([code, amount, care]), Number(count)]),
  )
  connection.closeSync()

  console.log(`engine ${inProcess.toFixed(0)} ms, DuckDB ${inDatabase.toFixed(0)} ms, ${flights.length} flights`)
  expect(counted).toEqual(decided)
  expect([...counted.values()].reduce((sum, count) => sum + count)).toBe(231_083)
})
