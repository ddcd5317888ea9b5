import type { IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import type { KeyHolder, Person } from '../access/caller.ts'
import { createCookies } from './cookies.ts'
import { identifyBy } from './credentials.ts'
import type { Route } from './route.ts'

const OWN = 'https://platform.example'
const PERSON = { kind: 'user', id: 'ann' } as Person
const HOLDER = { kind: 'key', id: 'k' } as KeyHolder

/** The caller of a request, then the look-ups and counts that it has caused. */
async function identified(headers: IncomingMessage['headers'], route: Partial<Route> = {}, method = 'GET') {
  const asked: string[] = []
  const known = { good: HOLDER, ann: PERSON }
  const find =
    <Found>(kind: string, found: Found, token: string) =>
    async (given: string) => {
      asked.push(`${kind} ${given}`)
      return given === token ? found : undefined
    }
  const identify = identifyBy(
    {
      session: find('session', known.ann, 'ann'),
      key: find('key', known.good, 'good'),
      decisionKey: find('decision', known.good, 'good'),
    },
    createCookies(false),
    () => OWN,
    (who) => void asked.push(`count ${who}`),
    () => '192.0.2.1',
  )
  const request = { method, headers } as IncomingMessage
  const caller = await identify(request, { right: 'project.read', ...route } as Route)
  return [caller?.id, ...asked]
}

const ADDRESS = 'count address:192.0.2.1'

test.each<[title: string, headers: IncomingMessage['headers'], route: Partial<Route>, found: readonly unknown[]]>([
  ['nobody', {}, {}, [undefined, ADDRESS]],
  ['a session', { cookie: 'session=ann' }, {}, ['ann', 'session ann', 'count user:ann']],
  ['a session that has ended', { cookie: 'session=old' }, {}, [undefined, 'session old', ADDRESS]],
  ['a bearer key', { authorization: 'Bearer good' }, {}, ['k', 'key good', 'count key:k']],
  ['one with spaces, in any case', { authorization: 'bEARER   good  ' }, {}, ['k', 'key good', 'count key:k']],
  ['a key in its own header', { 'x-api-key': 'good' }, {}, ['k', 'key good', 'count key:k']],
  ['a key before a session', { 'x-api-key': 'good', cookie: 'session=ann' }, {}, ['k', 'key good', 'count key:k']],
  [
    'a bearer key before one in its own header',
    { authorization: 'Bearer good', 'x-api-key': 'bad' },
    {},
    ['k', 'key good', 'count key:k'],
  ],
  ['a decision, from memory', { 'x-api-key': 'good' }, { isDecision: true }, ['k', 'decision good', 'count key:k']],
  ['a request that is not limited', { 'x-api-key': 'good' }, { isUnlimited: true }, ['k', 'key good']],
  ['an unknown key where none is needed', { 'x-api-key': 'bad' }, { right: 'none' }, [undefined, 'key bad', ADDRESS]],
])('%s', async (_title, headers, route, found) => {
  expect(await identified(headers, route)).toEqual(found)
})

test.each<[title: string, headers: IncomingMessage['headers']]>([
  ['an unknown key', { 'x-api-key': 'bad' }],
  ['an unknown key next to a session', { 'x-api-key': 'bad', cookie: 'session=ann' }],
  ['another scheme', { authorization: 'Basic Z29vZA==' }],
  ['a bearer without a key', { authorization: 'Bearer ' }],
])('%s is refused', async (_title, headers) => {
  await expect(identified(headers)).rejects.toMatchObject({ code: 'unauthorized' })
})

test('a change by a session must come from an own page; one by a key need not', async () => {
  await expect(identified({ cookie: 'session=ann' }, {}, 'POST')).rejects.toMatchObject({ code: 'forbidden' })
  expect((await identified({ cookie: 'session=ann', origin: OWN }, {}, 'POST'))[0]).toBe('ann')
  expect((await identified({ 'x-api-key': 'good', origin: 'https://other.example' }, {}, 'POST'))[0]).toBe('k')
})
