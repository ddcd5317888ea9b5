import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { reachableRulesets, UnreadableList } from './ruleset-list.ts'

const name = (index: number) => `r${String(index).padStart(4, '0')}`
const row = (index: number, more: object = {}) => ({
  name: name(index),
  version: '1.0.0',
  description: null,
  step_count: 1,
  digest: 'd',
  ...more,
})

/** An engine with this many rulesets, which answers pages of fifty. */
function engine(count: number, more: object = {}) {
  const queries: string[] = []
  const ask = async (query: string) => {
    queries.push(query)
    const after = new URLSearchParams(query).get('cursor')
    const begin = after === null ? 0 : Number(after.slice(1)) + 1
    const length = Math.max(0, Math.min(50, count - begin))
    return Buffer.from(JSON.stringify(Array.from({ length }, (_, index) => row(begin + index, more))))
  }
  return { queries, ask }
}

const QUERY = { limit: 10, cursor: undefined, q: undefined }
const every = () => true
const names = (rows: readonly { readonly name: string }[]) => rows.map((one) => one.name)

describe('a page of rulesets', () => {
  test.each<
    [
      title: string,
      count: number,
      limit: number,
      isShown: (name: string) => boolean,
      size: number,
      next: string | undefined,
    ]
  >([
    ['is empty', 0, 10, every, 0, undefined],
    ['has all', 10, 10, every, 10, undefined],
    ['ends with a cursor', 11, 10, every, 10, name(9)],
    ['goes on in the next page of the engine', 60, 55, every, 55, name(54)],
    ['ends with the last full page of the engine', 100, 100, every, 100, undefined],
    ['has the rows that the caller may see', 20, 10, (one) => one === name(3) || one === name(19), 2, undefined],
    ['looks for them in every page of the engine', 120, 10, (one) => one === name(110), 1, undefined],
  ])('%s', async (_title, count, limit, isShown, size, next) => {
    const page = await reachableRulesets({ ...QUERY, limit }, engine(count).ask, isShown)
    expect([page.rows.length, page.next]).toEqual([size, next])
    expect(page.rows.every((one) => isShown(one.name))).toBe(true)
  })

  test('follows its cursor and asks with its text', async () => {
    const { ask, queries } = engine(60)
    const { rows } = await reachableRulesets({ limit: 60, cursor: name(4), q: 'a b' }, ask, every)
    expect(names(rows)).toEqual(Array.from({ length: 55 }, (_, index) => name(index + 5)))
    expect(queries).toEqual([`?limit=50&cursor=${name(4)}&q=a+b`, `?limit=50&cursor=${name(54)}&q=a+b`])
  })

  test('has five members of each row and no other', async () => {
    const { ask } = engine(1, { description: 'fees', secret: 'x' })
    expect((await reachableRulesets(QUERY, ask, every)).rows).toEqual([row(0, { description: 'fees' })])
  })

  test('ends early with a name that it shows where the engine sends much', async () => {
    const { ask, queries } = engine(400, { description: 'x'.repeat(70_000) })
    const page = await reachableRulesets({ ...QUERY, limit: 400 }, ask, (one) => one !== name(149))
    expect([queries.length, page.next]).toEqual([3, name(148)])
  })

  test('does not end early before a row that it shows', async () => {
    const { ask } = engine(160, { description: 'x'.repeat(70_000) })
    const page = await reachableRulesets(QUERY, ask, (one) => one === name(155))
    expect([names(page.rows), page.next]).toEqual([[name(155)], undefined])
  })
})

describe('a list is unreadable', () => {
  test.each<[title: string, body: unknown]>([
    ['that is no list', { rows: [] }],
    ['with a row that is no object', [1]],
    ['without a name', [row(0, { name: 1 })]],
    ['with a name that no ruleset has', [row(0, { name: '' })]],
    ['without a version', [row(0, { version: null })]],
    ['without a number of steps', [row(0, { step_count: '1' })]],
    ['without a digest', [row(0, { digest: null })]],
    ['with a name twice', [row(0), row(0)]],
    ['with names that descend', [row(1), row(0)]],
    ['with more rows than were requested', Array.from({ length: 51 }, (_, index) => row(index))],
    ['of more than 4 MiB', [row(0, { description: 'x'.repeat(4 * 1024 * 1024) })]],
  ])('%s', async (_title, body) => {
    const ask = async () => Buffer.from(JSON.stringify(body))
    await expect(reachableRulesets(QUERY, ask, every)).rejects.toBeInstanceOf(UnreadableList)
  })

  test('that begins again, which would never end', async () => {
    const first = await engine(50).ask('')
    await expect(reachableRulesets({ ...QUERY, limit: 60 }, async () => first, every)).rejects.toBeInstanceOf(
      UnreadableList,
    )
  })

  test('of more than 4 MiB is not read further', async () => {
    let parts = 0
    const endless = new Readable({
      highWaterMark: 1,
      read() {
        parts++
        this.push(Buffer.alloc(1024 * 1024, ' '))
      },
    })
    await expect(reachableRulesets(QUERY, async () => endless, every)).rejects.toBeInstanceOf(UnreadableList)
    expect(parts).toBeLessThan(10)
  })

  test('that is cut off', async () => {
    const cut = new Readable({
      read() {
        this.destroy(new Error('reset'))
      },
    })
    await expect(reachableRulesets(QUERY, async () => cut, every)).rejects.toThrow('its list broke off')
  })
})
