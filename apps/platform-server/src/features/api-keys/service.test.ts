import { describe, expect, test, vi } from 'vitest'
import { type Action, ROLE_ACTIONS } from '../../access/actions.ts'
import type { Caller, KeyHolder } from '../../access/caller.ts'
import type { InOrganization } from '../../access/membership.ts'
import type { Acting } from '../../resources/acting.ts'
import type { ApiKeyRequest } from './model.ts'
import { createKey, keyOf, type KeyRow, revokeKey } from './service.ts'

const PERSON = { kind: 'user', id: 'ann' } as Caller
const key = (more: Partial<KeyHolder> = {}): Caller =>
  ({ kind: 'key', id: 'k', userId: 'bob', projectIds: null, environments: null, ...more }) as unknown as Caller
const projectId = (last: number) => `aaaaaaaa-0000-4000-8000-00000000000${last}`
const [FIRST, SECOND] = [projectId(1), projectId(2)]

/** An organization with two projects, in which the caller has these rights; and the stored row of a new key. */
function acting(caller: Caller, permissions: readonly Action[] = ROLE_ACTIONS.admin, isStored = true) {
  const found = { execute: async () => [{ id: FIRST }, { id: SECOND }] }
  const query = { selectFrom: () => ({ select: () => ({ where: () => found }) }) }
  const rows: Record<string, unknown>[] = []
  const scope = {
    read: () => query,
    insert: (_table: string, row: Record<string, unknown>) => {
      rows.push(row)
      const stored = { ...row, created_at: new Date(0), updated_at: new Date(0), last_used_at: null, rev: 1 }
      return { returningAll: () => ({ executeTakeFirstOrThrow: async () => stored }) }
    },
    delete: () => {
      if (isStored) throw new Error('deleted')
      const gone = { executeTakeFirst: async () => undefined }
      return { where: () => ({ returning: () => gone }) }
    },
  }
  const place = { member: { scope, permissions: new Set(permissions) } }
  const change = (work: (change: object) => Promise<unknown>) => work({ scope, audit: async () => {} })
  return { rows, acting: { caller, place, by: 'x', change } as unknown as Acting<InOrganization> }
}

async function made(caller: Caller, request: Partial<ApiKeyRequest>, permissions?: readonly Action[]) {
  const parts = acting(caller, permissions)
  const body: ApiKeyRequest = { name: 'ci', scopes: ['project.read'], ...request }
  try {
    const { key: shown, token } = await createKey(parts.acting, body)
    return { row: parts.rows[0], shown, token, refused: undefined }
  } catch (error) {
    expect(parts.rows).toEqual([])
    return { row: undefined, shown: undefined, token: undefined, refused: error as { code: string; message: string } }
  }
}

describe('the member with whom a key ends', () => {
  test.each<[title: string, caller: Caller, scopes: readonly Action[], user: string | null]>([
    ['is its author', PERSON, ['project.read'], 'ann'],
    ['is the one of the key that made it', key(), ['project.read'], 'bob'],
    ['is none where the key that made it has none', key({ userId: null }), ['project.read'], null],
    ['is none where it only decides', PERSON, ['decision.execute'], null],
    ['is its author where it does more than decide', PERSON, ['decision.execute', 'project.read'], 'ann'],
  ])('%s', async (_title, caller, scopes, user) => {
    expect((await made(caller, { scopes: [...scopes] })).row?.['user_id']).toBe(user)
  })
})

describe('a new key', () => {
  test('has what was requested, each once, and a token that only its hash is kept of', async () => {
    const request = {
      name: ' ci ',
      scopes: ['project.read', 'project.read'] as Action[],
      project_ids: [FIRST, FIRST],
      environments: ['dev', 'dev'],
    }
    const { row, shown, token } = await made(PERSON, request)
    expect(row).toMatchObject({
      name: 'ci',
      scopes: ['project.read'],
      project_ids: [FIRST],
      environments: ['dev'],
      expires_at: null,
    })
    expect(token?.startsWith(shown?.prefix ?? 'none')).toBe(true)
    expect(JSON.stringify(row)).not.toContain(token)
  })

  test('without limits reaches everything', async () => {
    expect((await made(PERSON, {})).row).toMatchObject({ project_ids: null, environments: null })
  })

  test.each<[title: string, caller: Caller, request: Partial<ApiKeyRequest>, code: string]>([
    ['with a right that its author lacks', PERSON, { scopes: ['org.manage'] }, 'forbidden'],
    ['with such a right beside others', PERSON, { scopes: ['project.read', 'org.manage'] }, 'forbidden'],
    ['of all projects by a key of one', key({ projectIds: [FIRST] }), {}, 'forbidden'],
    ['of another project by a key of one', key({ projectIds: [FIRST] }), { project_ids: [FIRST, SECOND] }, 'forbidden'],
    ['of all environments by a key of one', key({ environments: ['dev'] }), {}, 'forbidden'],
    ['of another environment by a key of one', key({ environments: ['dev'] }), { environments: ['prod'] }, 'forbidden'],
    ['of an unknown project', PERSON, { project_ids: [FIRST, projectId(3)] }, 'invalid-request'],
    ['of a project that is no id', PERSON, { project_ids: ['p'] }, 'invalid-request'],
    ['without a name', PERSON, { name: ' ' }, 'invalid-request'],
    ['with a line break in its name', PERSON, { name: 'a\nb' }, 'invalid-request'],
    ['that is over', PERSON, { expires_at: '2020-01-01T00:00:00Z' }, 'invalid-request'],
    ['that ends at no time', PERSON, { expires_at: '2040-12-31T23:59:60Z' }, 'invalid-request'],
  ])('%s is refused', async (_title, caller, request, code) => {
    expect((await made(caller, request)).refused).toMatchObject({ code })
  })

  test.each<[title: string, caller: Caller, request: Partial<ApiKeyRequest>]>([
    ['of its own project by a key of one', key({ projectIds: [FIRST] }), { project_ids: [FIRST] }],
    ['of its own environment by a key of one', key({ environments: ['dev'] }), { environments: ['dev'] }],
    ['of a project by its id in upper case', PERSON, { project_ids: [FIRST.toUpperCase()] }],
    ['that ends later', PERSON, { expires_at: '2100-01-01T00:00:00Z' }],
  ])('%s is made', async (_title, caller, request) => {
    expect((await made(caller, request)).refused).toBeUndefined()
  })

  test('that ends now is over already', async () => {
    vi.useFakeTimers({ now: Date.UTC(2030, 0, 1), toFake: ['Date'] })
    try {
      expect((await made(PERSON, { expires_at: '2030-01-01T00:00:00Z' })).refused).toMatchObject({
        code: 'invalid-request',
      })
      expect((await made(PERSON, { expires_at: '2030-01-01T00:00:00.001Z' })).row?.['expires_at']).toEqual(
        new Date(Date.UTC(2030, 0, 1) + 1),
      )
    } finally {
      vi.useRealTimers()
    }
  })
})

test.each<
  [
    title: string,
    caller: Caller,
    projects: readonly string[] | null,
    environments: readonly string[] | null,
    isAllowed: boolean,
  ]
>([
  ['a person', PERSON, null, null, true],
  ['a key without limits', key(), null, null, true],
  ['a key of its project', key({ projectIds: [FIRST] }), [FIRST], null, true],
  ['a key of one project, of one that reaches all', key({ projectIds: [FIRST] }), null, null, false],
  ['a key of one environment, of one that reaches all', key({ environments: ['dev'] }), [FIRST], null, false],
  ['a key of one environment, of one of another', key({ environments: ['dev'] }), null, ['prod'], false],
  ['a key of its environment', key({ environments: ['dev'] }), null, ['dev'], true],
])('who revokes a key: %s', async (_title, caller, project_ids, environments, isAllowed) => {
  const row = { id: 'k', name: 'k', project_ids, environments } as unknown as KeyRow
  const outcome = revokeKey(acting(caller).acting, row)
  if (isAllowed) await expect(outcome).rejects.toThrow('deleted')
  else await expect(outcome).rejects.toMatchObject({ code: 'forbidden' })
})

test('a key that another request has revoked is not found', async () => {
  const row = { id: 'k', name: 'k', project_ids: null, environments: null } as unknown as KeyRow
  const outcome = revokeKey(acting(PERSON, undefined, false).acting, row)
  await expect(outcome).rejects.toMatchObject({ code: 'not-found' })
})

test('a key is shown with the times of its end and its last use', () => {
  const [created_at, expires_at, last_used_at] = [1, 3, 2].map((day) => new Date(Date.UTC(2030, 0, day)))
  const row = { id: 'k', name: 'ci', created_at, updated_at: created_at, expires_at, last_used_at, rev: 1 }
  expect(keyOf(row as unknown as KeyRow)).toMatchObject({
    expires_at: '2030-01-03T00:00:00.000Z',
    last_used_at: '2030-01-02T00:00:00.000Z',
  })
})
