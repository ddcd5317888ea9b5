import { HttpError } from '@engine/http-server'
import type { IncomingHttpHeaders } from 'node:http'
import { describe, expect, test } from 'vitest'
import { changeCondition, isKnown } from './conditions.ts'
import { nextPage, pageQueryOf } from './query.ts'

const TAG = '"abc"'
const failed = (header: string) =>
  `the condition \`${header}\` does not hold: the stored ruleset has the entity tag ${TAG}`

/** The message of a failed precondition; undefined if it holds. */
function messageOf(run: () => unknown): string | undefined {
  try {
    run()
    return undefined
  } catch (error) {
    expect(error).toBeInstanceOf(HttpError)
    return (error as HttpError).message
  }
}

describe('a change with a precondition', () => {
  test.each<[header: 'if-match' | 'if-none-match', value: string, holds: boolean, holdsForNone: boolean]>([
    ['if-match', TAG, true, false],
    ['if-match', `"x", ${TAG}`, true, false],
    ['if-match', '"x"', false, false],
    ['if-match', `W/${TAG}`, false, false],
    ['if-match', '*', true, false],
    ['if-match', ' * ', true, false],
    ['if-match', '"abc-gzip"', true, false],
    ['if-match', '"abc-zstd"', true, false],
    ['if-match', '"abc-br"', false, false],
    ['if-none-match', TAG, false, true],
    ['if-none-match', `W/${TAG}`, false, true],
    ['if-none-match', '"x"', true, true],
    ['if-none-match', `"x", W/${TAG}`, false, true],
    ['if-none-match', '*', false, true],
    ['if-none-match', '"abc-gzip"', false, true],
  ])('%s: %s', (header, value, holds, holdsForNone) => {
    const condition = changeCondition({ [header]: value })
    expect(messageOf(() => condition?.(TAG))).toBe(holds ? undefined : failed(`${header}: ${value}`))
    const none = `the condition \`${header}: ${value}\` does not hold: there is no such ruleset`
    expect(messageOf(() => condition?.(undefined))).toBe(holdsForNone ? undefined : none)
  })

  test('needs both conditions', () => {
    const condition = changeCondition({ 'if-match': TAG, 'if-none-match': TAG })
    expect(messageOf(() => condition?.(TAG))).toBe(failed(`if-none-match: ${TAG}`))
  })

  test('has none without the headers', () => expect(changeCondition({ etag: TAG })).toBeUndefined())

  test('fails with the tag of the stored ruleset', () => {
    const condition = changeCondition({ 'if-match': '"x"' })
    expect(() => condition?.(TAG)).toThrow(
      expect.objectContaining({ code: 'precondition-failed', headers: { etag: TAG } }) as Error,
    )
  })
})

test.each<[headers: IncomingHttpHeaders, known: boolean | string]>([
  [{}, false],
  [{ 'if-none-match': TAG }, true],
  [{ 'if-none-match': `W/${TAG}` }, true],
  [{ 'if-none-match': '"x"' }, false],
  [{ 'if-none-match': '*' }, true],
  [{ 'if-match': TAG }, false],
  [{ 'if-match': '"x"' }, failed('if-match: "x"')],
  [{ 'if-match': TAG, 'if-none-match': TAG }, true],
])('a read with %j is answered without a body: %s', (headers, known) => {
  const found: { value?: boolean } = {}
  const message = messageOf(() => (found.value = isKnown(headers, TAG)))
  expect(message ?? found.value).toBe(known)
})

describe('a page', () => {
  test.each<[query: string, page: object | string]>([
    ['', { limit: undefined, after: undefined, contains: undefined }],
    ['limit=1&cursor=a&q=Door', { limit: 1, after: 'a', contains: 'Door' }],
    ['limit=10000', expect.objectContaining({ limit: 10_000 }) as object],
    ['limit=10001', '`limit` must be a whole number from 1 to 10000, found `10001`'],
    ['limit=0', '`limit` must be a whole number from 1 to 10000, found `0`'],
    ['limit=-1', '`limit` must be a whole number from 1 to 10000, found `-1`'],
    ['limit=1.5', '`limit` must be a whole number from 1 to 10000, found `1.5`'],
    ['limit=', '`limit` must be a whole number from 1 to 10000, found ``'],
  ])('of the query `%s`', (query, page) => {
    const found: { value?: object } = {}
    const message = messageOf(() => (found.value = pageQueryOf(new URLSearchParams(query))))
    if (typeof page === 'string') expect(message).toContain(page)
    else expect(found.value).toEqual(page)
  })

  test('links to the next one, with the rest of its query', () => {
    const query = new URLSearchParams('q=a b&cursor=x&limit=2')
    expect(nextPage('/rulesets', query, 'd&e')).toEqual({
      'x-next-cursor': 'd&e',
      link: '</rulesets?q=a+b&cursor=d%26e&limit=2>; rel="next"',
    })
    expect(nextPage('/rulesets', query, undefined)).toEqual({})
    expect(query.get('cursor')).toBe('x')
  })
})
