import { stringifyJson, type Value } from '@engine/expression'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Rows, sqlite } from '../filter/databases.testing.ts'
import type { Row } from '../filter/rulesets.testing.ts'
import { startServer } from '../http/server.testing.ts'
import { useDatabase } from '../platform/databases.testing.ts'
import { startTeam, type Team } from '../platform/engines.testing.ts'
import { startPlatform, type TestPlatform } from '../platform/platform.testing.ts'
import {
  type ConformanceData,
  type DecidedInput,
  decidedOtherwise,
  decisionOfCase,
  type DraftCase,
  type TableCase,
} from './conformance-data.testing.ts'
import { readData } from './data-files.testing.ts'
import { draftOfTable } from './draft-of-table.testing.ts'
import { byReference } from './drafts.testing.ts'
import * as filters from './filters.testing.ts'
import { programsOfDraft } from './product.testing.ts'

/** Drafts, tables and filters are held to `conformance/`. */

const DRAFTS = readData<ConformanceData<DraftCase>>('draft').cases
const TABLES = readData<ConformanceData<TableCase>>('table').cases
const ALL: readonly (readonly [draft: Value, inputs: readonly DecidedInput[]])[] = [
  ...DRAFTS.map(({ draft, inputs }) => [draft, inputs] as const),
  ...TABLES.map(({ table, inputs }) => [draftOfTable(table), inputs] as const),
]

describe('draft.json and table.json', () => {
  test('by the second implementation', () => {
    for (const [draft, inputs] of ALL)
      expect(decidedOtherwise([['reference', (input) => byReference(draft, input)]], inputs)).toEqual([])
  })

  test('by conversion, interpreted and compiled', () => {
    for (const [draft, inputs] of ALL) expect(decidedOtherwise(programsOfDraft(draft), inputs)).toEqual([])
  })

  describe('over HTTP', () => {
    const database = useDatabase('postgres')
    let platform: TestPlatform
    let team: Team
    beforeAll(async () => {
      platform = await startPlatform(database())
      team = await startTeam(platform)
    })
    afterAll(() => platform.stop())

    test('by try-runs of the platform', async () => {
      // The client of the tests writes no integers beyond 2^53.
      const plain = ALL.flatMap(([draft, inputs]) => inputs.map((one) => [draft, one] as const)).filter(
        (one) => !/(?<![\d.])\d{16}/.test(stringifyJson(one as unknown as Value)),
      )
      expect(plain.length).toBeGreaterThan(400)
      for (const [draft, one] of plain) {
        const { name } = (draft as { readonly config: { readonly name: string } }).config
        const path = `${team.P}/rulesets/${name}/trace`
        const { status, body } = await team.owner.request('POST', path, { ruleset: draft, input: one.input })
        const { code, message, output } = body
        const found = code === null ? 'error' : stringifyJson({ code, message, output })
        expect([status, found]).toEqual([200, decisionOfCase(one)])
      }
    })
  })
})

describe('filter.json', () => {
  interface FilterCase extends filters.Wanted {
    readonly rows: readonly Row[]
    readonly selected: filters.Selected
  }
  const { cases } = readData<ConformanceData<FilterCase>>('filter')
  let database: Rows
  beforeAll(() => {
    database = sqlite()
  })
  afterAll(() => database.close())

  test('by the second implementation', () => {
    for (const { rows, selected, ...wanted } of cases) expect(filters.byReference(wanted, rows)).toEqual(selected)
  })

  test('as a tree and in SQLite', async () => {
    let exact = 0
    for (const { rows, selected, ...wanted } of cases) {
      const tree = filters.filterOf(wanted, 'json')
      const found = filters.selectedByTree(tree?.filter, rows)
      expect([found, tree !== undefined && filters.isAsClaimed(tree.exactness, found, selected)]).toEqual([found, true])
      const sql = filters.filterOf(wanted, 'sql')
      if (sql === undefined) continue
      await database.load(rows)
      const inSqlite = sql.filter === null ? [] : await database.select(sql.filter as string)
      expect([inSqlite, filters.isAsClaimed(sql.exactness, inSqlite, selected)]).toEqual([inSqlite, true])
      if (sql.exactness === 'exact') exact++
    }
    expect(exact).toBeGreaterThan(cases.length / 2)
  })

  test('by a server', async () => {
    const server = await startServer()
    for (const { rows, selected, ruleset, ...request } of cases) {
      await server.request('POST', '/api/v1/rulesets', {
        body: stringifyJson(ruleset),
        headers: { 'content-type': 'application/json' },
      })
      const { status, body } = await server.request('POST', '/api/v1/rulesets/random/filter', {
        body: stringifyJson({ ...request, format: 'json', nulls: 'match_rules' }),
        headers: { 'content-type': 'application/json' },
      })
      expect(status).toBe(200)
      // The client of the tests rounds integers beyond 2^53.
      if (/(?<![\d.])\d{16}/.test(JSON.stringify(body.filter))) continue
      const found = filters.selectedByTree(body.filter, rows)
      expect([found, filters.isAsClaimed(body.exactness, found, selected)]).toEqual([found, true])
    }
    await server.stop()
  })
})
