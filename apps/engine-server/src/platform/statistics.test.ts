import { type ContentStatistics, DURATION_BOUNDS } from '@engine/api'
import { type Program, type Ruleset } from '@engine/ruleset'
import { describe, expect, test } from 'vitest'
import { storedRuleset } from '../store/store.ts'
import { contentKey, createStatistics, mergeStatistics } from './statistics.ts'

const BUCKETS = DURATION_BOUNDS.length + 1
const counts = (first: number, last = 0) => [first, ...Array.from({ length: BUCKETS - 2 }, () => 0), last]
const row = (more: Partial<ContentStatistics> = {}): ContentStatistics => ({
  tenant: null,
  name: 'fee',
  digest: 'd',
  ok: 2,
  error: 1,
  codes: { OK: 2 },
  duration: { counts: counts(2, 1), sum_seconds: 1.5 },
  ...more,
})

describe('rows of several processes', () => {
  test('of the same content are added up', () => {
    const other = row({
      ok: 5,
      error: 3,
      codes: { OK: 1, NO: 4 },
      duration: { counts: counts(7, 1), sum_seconds: 0.25 },
      branches: { step: [1, 0] },
    })
    expect(mergeStatistics([[row({ branches: { step: [1, 2], first: [3] } })], [other]])).toEqual([
      row({
        ok: 7,
        error: 4,
        codes: { OK: 3, NO: 4 },
        duration: { counts: counts(9, 2), sum_seconds: 1.75 },
        branches: { step: [2, 2], first: [3] },
      }),
    ])
  })

  test.each<[title: string, more: Partial<ContentStatistics>]>([
    ['another tenant', { tenant: 'b' }],
    ['another ruleset', { name: 'rate' }],
    ['another content', { digest: 'e' }],
  ])('of %s stay apart', (_title, more) => {
    expect(contentKey(row(more))).not.toBe(contentKey(row()))
    expect(mergeStatistics([[row()], [row(more)]])).toEqual([row(), row(more)])
  })

  test('have a hundred codes apart, and one for all others', () => {
    const codes = Object.fromEntries(Array.from({ length: 99 }, (_, index) => [`C${index}`, 1]))
    const [merged] = mergeStatistics([[row({ codes })], [row({ codes: { C0: 1, X: 2, Y: 3, Z: 4 } })]])
    expect(Object.keys(merged?.codes ?? {})).toHaveLength(101)
    expect(merged?.codes).toMatchObject({ C0: 2, X: 2, '(other)': 7 })
  })
})

describe('executions', () => {
  const stored = (name = 'fee') =>
    storedRuleset({
      config: { name, version: '1.0.0', entry_step: 'end' },
      steps: { end: { id: 'end', name: 'End', type: 'terminal', result: { code: 'OK', message: '', output: [] } } },
    })
  const program = () => ({}) as Program

  test('are counted by content: codes, errors and durations', async () => {
    const statistics = createStatistics()
    const content = stored()
    const [one, again, unknown] = [program(), program(), program()]
    const tenant = statistics.forTenant('b')
    tenant.made(one, content)
    tenant.made(again, content)
    tenant.made(program(), stored('idle'))
    tenant.executed(one, 100, 'OK')
    tenant.executed(again, 0, 'OK')
    tenant.executed(one, 0, undefined)
    tenant.executed(unknown, 0, 'OK')
    await expect.poll(() => statistics.rows().length).toBe(1)
    expect(statistics.rows()[0]).toMatchObject({
      tenant: 'b',
      name: 'fee',
      ok: 2,
      error: 1,
      codes: { OK: 2 },
      duration: { counts: counts(2, 1), sum_seconds: 100 },
    })
  })

  test('of a hundred codes are counted apart, the others together', async () => {
    const statistics = createStatistics()
    const tenant = statistics.forTenant(undefined)
    const one = program()
    tenant.made(one, stored())
    for (let code = 0; code < 102; code++) tenant.executed(one, 0, `C${code}`)
    tenant.executed(one, 0, 'C99')
    await expect.poll(() => statistics.rows().length).toBe(1)
    const { codes = {}, tenant: of } = statistics.rows()[0] ?? {}
    expect([of, Object.keys(codes).length, codes['C99'], codes['(other)']]).toEqual([null, 101, 2, 2])
  })

  test('of two thousand contents are counted, and those of the oldest are given up', async () => {
    const statistics = createStatistics()
    const tenant = statistics.forTenant(undefined)
    const execute = (name: string) => {
      const one = program()
      tenant.made(one, stored(name))
      tenant.executed(one, 0, 'OK')
    }
    const names = () => statistics.rows().map(({ name }) => name)
    for (let index = 0; index < 2000; index++) execute(`r${index}`)
    await expect.poll(() => names().length).toBe(2000)
    execute('last')
    await expect.poll(() => names().at(-1)).toBe('last')
    expect([names().length, names()[0]]).toEqual([2000, 'r1'])
  })

  test('count the branches of a content once for all programs', () => {
    const tenant = createStatistics().forTenant(undefined)
    const content = stored()
    const ruleset = { steps: new Map() } as unknown as Ruleset
    expect(tenant.branchCounts(content, ruleset)).toBe(tenant.branchCounts(content, ruleset))
    expect(tenant.branchCounts(stored(), ruleset)).not.toBe(tenant.branchCounts(content, ruleset))
  })
})
