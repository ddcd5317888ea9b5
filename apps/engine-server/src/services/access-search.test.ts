import type { Value } from '@engine/expression'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { decodeEntities } from '../standards/entities.ts'
import { decodeMapping } from '../standards/mapping.ts'
import { createPageTokens } from '../standards/page-token.ts'
import { searchAccess, type SearchKind } from './access-search.ts'
import { executionOf, outcomeOf, OUTSIDE, sentOf } from './services.testing.ts'

const { execution, executed } = await executionOf([
  { name: 'owners', condition: 'subject.id == resource.properties.owner' },
  { name: 'gentle', condition: 'action.properties == {} && resource.id != "r3"' },
  { name: 'fragile', condition: '1 / (len(resource.id) - 2) > 0' },
  {
    name: 'exact',
    condition: 'resource.properties.amount + context.more == 0.30000000000000000001',
    config: { numbers: 'decimal' },
  },
])

const RULES = [
  {
    subject: 'user',
    resource: 'record',
    action: ['read', 'write'],
    ruleset: 'owners',
    permit: ['PERMIT'],
    actions: ['write', 'read'],
  },
  { subject: 'robot', resource: 'record', ruleset: 'gentle', permit: ['PERMIT'], actions: ['scan', 'read'] },
  { resource: 'drawer', ruleset: 'fragile', permit: ['PERMIT'], actions: ['open'] },
  { resource: 'sum', ruleset: 'exact', permit: ['PERMIT'] },
]

const ENTITIES = [
  ...['ada', 'bob'].map((id) => ({ type: 'user', id })),
  ...[1, 2, 3, 4, 5].map((number) => ({
    type: 'record',
    id: `r${number}`,
    properties: { owner: number === 4 ? 'bob' : 'ada' },
  })),
  ...['aa', 'aaa'].map((id) => ({ type: 'drawer', id })),
  ...['s1', 's2'].map((id) => ({ type: 'sum', id, properties: { amount: id === 's1' ? 0.2 : 0.1 } })),
]

const parts = async (more: { readonly [key: string]: Value } = {}) => ({
  mapping: decodeMapping({ rules: RULES, entities: 'e', ...more }),
  entities: await decodeEntities(ENTITIES.map((entity) => JSON.stringify(entity)).join('\n')),
  execution,
})

const TOKENS = createPageTokens(Buffer.alloc(32, 1))

const ADA = { type: 'user', id: 'ada' }
const BODY = { subject: ADA, action: { name: 'read' }, resource: { type: 'record', id: 'r4' } }

/** The answer to a search, parsed. */
async function search(kind: SearchKind, text: string, more?: { readonly [key: string]: Value }) {
  return JSON.parse(await searchAccess(await parts(more), kind, TOKENS, sentOf(text), OUTSIDE)) as {
    readonly results: readonly object[]
    readonly page: { readonly next_token: string; readonly count: number }
  }
}

/** A subject that is not among the entities, and a resource that is hers. */
const EVE = { type: 'user', id: 'eve' }
const OF_EVE = { type: 'record', id: 'r1', properties: { owner: 'eve' } }

const answer = (results: readonly object[]) => ({ results, page: { next_token: '', count: results.length } })
const records = (...ids: readonly string[]) => answer(ids.map((id) => ({ type: 'record', id })))
const users = (...ids: readonly string[]) => answer(ids.map((id) => ({ type: 'user', id })))
const actions = (...names: readonly string[]) => answer(names.map((name) => ({ name })))

describe('a search finds', () => {
  test.each<[what: string, kind: SearchKind, body: object, more: { readonly [key: string]: Value }, found: object]>([
    ['the resources of a subject, by id', 'resource', BODY, {}, records('r1', 'r2', 'r3', 'r5')],
    ['the subjects of a resource', 'subject', BODY, {}, users('bob')],
    [
      'subjects although their ids are not known yet',
      'subject',
      { ...BODY, subject: { type: 'user', id: 'eve' } },
      {},
      users('bob'),
    ],
    [
      'the actions of a subject, by name',
      'action',
      { ...BODY, resource: { type: 'record', id: 'r1' } },
      {},
      actions('read', 'write'),
    ],
    [
      'actions of rules for the subject alone',
      'action',
      { ...BODY, subject: { type: 'robot', id: '7' } },
      {},
      actions('read', 'scan'),
    ],
    [
      'no action of rules for other resources',
      'action',
      { ...BODY, resource: { type: 'cup', id: 'r1' } },
      {},
      actions(),
    ],
    [
      'actions without the properties of another one',
      'action',
      {
        subject: { type: 'robot', id: '7' },
        action: { name: 'x', properties: { a: 1 } },
        resource: { type: 'record', id: 'r1' },
      },
      {},
      actions('read', 'scan'),
    ],
    [
      'no resource for which the rules fail',
      'resource',
      { ...BODY, resource: { type: 'drawer' } },
      {},
      answer([{ type: 'drawer', id: 'aaa' }]),
    ],
    ['nothing of a type without entities', 'resource', { ...BODY, resource: { type: 'cup' } }, {}, answer([])],
    [
      'nothing for an unknown subject of a known type',
      'resource',
      { ...BODY, subject: { type: 'user', id: 'eve' } },
      {},
      records(),
    ],
    [
      'nothing for an unknown subject, whatever the rules permit',
      'action',
      { ...BODY, subject: EVE, resource: OF_EVE },
      {},
      actions(),
    ],
    [
      'what the rules permit to an unknown subject, if they decide',
      'action',
      {
        ...BODY,
        subject: EVE,
        resource: OF_EVE,
      },
      { unknown_subject: 'rules' },
      actions('read', 'write'),
    ],
    [
      'what the rules permit to a subject whose type has no entities',
      'resource',
      { ...BODY, subject: { type: 'robot', id: '7' } },
      {},
      records('r1', 'r2', 'r4', 'r5'),
    ],
    [
      'nothing for it where unknown subjects are denied',
      'resource',
      { ...BODY, subject: { type: 'robot', id: '7' } },
      { unknown_subject: 'deny' },
      records(),
    ],
    ['as many candidates as it may examine', 'resource', BODY, { max_candidates: 5 }, records('r1', 'r2', 'r3', 'r5')],
  ])('%s', async (_what, kind, body, more, found) => {
    expect(await search(kind, JSON.stringify(body), more)).toEqual(found)
  })

  test('each candidate with its own digits, where the ruleset computes with decimals', async () => {
    const text =
      '{"subject":{"type":"user","id":"ada"},"action":{"name":"read"},"resource":{"type":"sum"},"context":{"more":0.10000000000000000001}}'
    expect(await search('resource', text)).toEqual(answer([{ type: 'sum', id: 's1' }]))
  })

  test('only as many as fit the page, and stops there', async () => {
    executed.length = 0
    const { results } = await search('resource', JSON.stringify({ ...BODY, page: { limit: 1 } }))
    expect([results, executed.length]).toEqual([[{ type: 'record', id: 'r1' }], 2])
  })
})

describe('pages', () => {
  test('follow each other without a gap, and the last has no token', async () => {
    const pages: unknown[] = []
    let token = ''
    do {
      const page = await search(
        'resource',
        JSON.stringify({ ...BODY, page: { limit: 2, ...(token !== '' && { token }) } }),
      )
      pages.push([page.results.map((one) => (one as { id: string }).id), page.page.count])
      token = page.page.next_token
    } while (token !== '')
    expect(pages).toEqual([
      [['r1', 'r2'], 2],
      [['r3', 'r5'], 2],
    ])
  })

  test.each<[what: string, kind: SearchKind, change: object]>([
    ['kind', 'subject', { page: { limit: 2 } }],
    ['limit', 'resource', { page: { limit: 3 } }],
    ['subject', 'resource', { subject: { type: 'user', id: 'bob' } }],
    ['context', 'resource', { context: { a: 1 } }],
  ])('a token belongs to the %s of its query', async (_what, kind, change) => {
    const { page } = await search('resource', JSON.stringify({ ...BODY, page: { limit: 2 } }))
    const body = { ...BODY, page: { limit: 2 }, ...change }
    const next = JSON.stringify({ ...body, page: { ...body.page, token: page.next_token } })
    expect(await outcomeOf(() => search(kind, next))).toBe(
      'invalid-request: `/page/token` is not a token of this query: begin without a token',
    )
  })

  test.each<[limit: number, isAccepted: boolean]>([
    [0, false],
    [1, true],
    [1.5, false],
    [10_000, true],
    [10_001, false],
  ])('a limit of %j', async (limit, isAccepted) => {
    const found = await outcomeOf(() => search('resource', JSON.stringify({ ...BODY, page: { limit } })))
    expect(typeof found === 'object').toBe(isAccepted)
  })
})

test('a page has a thousand results unless the request states another number', async () => {
  const many = {
    ...(await parts()),
    entities: await decodeEntities(
      Array.from({ length: 1002 }, (_, index) => `{"type":"record","id":"${1000 + index}"}`).join('\n'),
    ),
  }
  const body = { subject: { type: 'robot', id: '7' }, action: { name: 'read' }, resource: { type: 'record' } }
  const text = await searchAccess(many, 'resource', TOKENS, { value: body, read: () => body }, OUTSIDE)
  expect((JSON.parse(text) as { readonly page: { readonly count: number } }).page.count).toBe(1000)
})

test.each<[what: string, kind: SearchKind, body: object, more: { readonly [key: string]: Value }, message: string]>([
  [
    'more candidates than may be examined',
    'resource',
    BODY,
    { max_candidates: 4 },
    'invalid-request: `/resource/type` has 5 entities, of which at most 4 are searched (`max_candidates`)',
  ],
  [
    'no resource id in a search for actions',
    'action',
    { ...BODY, resource: { type: 'record' } },
    {},
    'invalid-request: `/resource/id` is missing',
  ],
  [
    'no subject id in a search for resources',
    'resource',
    { ...BODY, subject: { type: 'user' } },
    {},
    'invalid-request: `/subject/id` is missing',
  ],
  [
    'no resource id in a search for subjects',
    'subject',
    { ...BODY, resource: { type: 'record' } },
    {},
    'invalid-request: `/resource/id` is missing',
  ],
  [
    'rules without actions',
    'action',
    BODY,
    { rules: [{ ruleset: 'owners', permit: ['PERMIT'] }] },
    'not-found: actions cannot be searched: no rule of the mapping has `actions`',
  ],
])('a search is refused for %s', async (_what, kind, body, more, message) => {
  expect(await outcomeOf(() => search(kind, JSON.stringify(body), more))).toBe(message)
})

test.each(['subject', 'resource'] as const)('without entities no %s can be searched', async (kind) => {
  const { entities: _, ...rest } = await parts()
  const sent = { value: BODY, read: () => BODY }
  expect(await outcomeOf(() => searchAccess({ ...rest, entities: undefined }, kind, TOKENS, sent, OUTSIDE))).toBe(
    `not-found: ${kind}s cannot be searched: the mapping names no \`entities\``,
  )
})

describe('a search that takes more than a turn', () => {
  afterEach(() => vi.restoreAllMocks())

  test.each<[leaves: boolean, executions: number]>([
    [false, 5],
    [true, 1],
  ])('pauses, and ends if its client has left: %s', async (leaves, executions) => {
    let clock = 0
    vi.spyOn(performance, 'now').mockImplementation(() => clock)
    const client = new AbortController()
    let count = 0
    const slow = {
      ...execution,
      item: () => {
        count++
        clock += 100
        if (leaves) client.abort()
        return true
      },
    } as typeof execution
    const sent = { value: BODY, read: () => BODY }
    const options = { ...OUTSIDE, signal: client.signal }
    await searchAccess({ ...(await parts()), execution: slow }, 'resource', TOKENS, sent, options)
    expect(count).toBe(executions)
  })
})
