import { generateKeys, parsePrivateKey, sign } from '@engine/signing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SYSTEM } from '../../apps/platform-server/src/database/audit.ts'
import type { OrgId } from '../../apps/platform-server/src/database/org-id.ts'
import { changeState } from '../../apps/platform-server/src/features/releases/state-change.ts'
import { type Operation, TRANSITIONS } from '../../apps/platform-server/src/features/releases/states.ts'
import { endAll, place, type Standing } from './allowed.testing.ts'
import { useDatabase } from './databases.testing.ts'
import { newName } from './drafts.testing.ts'
import { type Answered, startPlatform, type TestPlatform } from './platform.testing.ts'
import { makeLive, newScene, type Scene } from './releases.testing.ts'
import { made } from './team.testing.ts'

const database = useDatabase('postgres')
const name = newName()
let platform: TestPlatform
let scene: Scene
let seq: number
beforeAll(async () => {
  platform = await startPlatform(database(), ['--rate-limit', '0', '--webhook-allow', '127.0.0.1'])
  scene = await newScene(platform)
  seq = await scene.save(scene.owner, name)
})
afterAll(() => platform.stop())

const org = () => scene.team.id as OrgId
const ask = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: object) =>
  scene.owner.request(method, `${scene.P}${path}`, body)

interface Entry {
  readonly id: string
  readonly action: string
  readonly actor: object
  readonly object: { readonly type: string; readonly id: string }
  readonly before: object | null
  readonly after: object | null
}

/** The audit entries of the project since an action began, and the result of the action. */
async function auditOf<Result>(work: () => Promise<Result>): Promise<readonly [readonly Entry[], Result]> {
  const entries = async (): Promise<readonly Entry[]> => (await scene.owner.request('GET', AUDIT())).body.items
  const known = new Set((await entries()).map(({ id }) => id))
  const result = await work()
  return [(await entries()).filter(({ id }) => !known.has(id)), result]
}
const AUDIT = () => `${scene.team.path}/audit?limit=200&project_id=${scene.P.split('/').at(-1)}`

/** A request that is ready to be sent, and its expected audit entries. */
interface Ready {
  readonly path: string
  readonly body?: object
  /** Id of the object; undefined: that of the answer. */
  readonly id?: string
  readonly before: object | null
  readonly after: object | null
}

interface Row {
  /** Method and path below the project, as the description has it. */
  readonly route: string
  readonly action: string
  readonly ready: () => Promise<Ready>
}

/** A release in the described state. */
async function standing(status: Standing['status'], more: Partial<Standing> = {}) {
  const release = await scene.release(scene.owner, name, seq)
  await endAll(database(), org())
  await place(database(), org(), release, { title: '', status, ...more }, scene.owner.userId)
  return release
}

function operation(verb: string, action: string, from: Standing, to: string, body: object = {}): Row {
  return {
    route: `POST /releases/{rid}/${verb}`,
    action: `release.${action}`,
    async ready() {
      const { id, content_digest } = await standing(from.status, from)
      const facts = (status: string) => ({ id, content_digest, status })
      return { path: `/releases/${id}/${verb}`, body, id, before: facts(from.status), after: facts(to) }
    },
  }
}

const LIVE = { step: 'done', isLive: true, hasBaseline: true } as const
const OPERATIONS: readonly Row[] = [
  operation('approve', 'approved', { title: '', status: 'pending_approval' }, 'approved'),
  operation('reject', 'rejected', { title: '', status: 'pending_approval' }, 'rejected', { reason: 'no' }),
  operation('cancel', 'cancelled', { title: '', status: 'pending_approval' }, 'cancelled'),
  operation('pause', 'paused', { title: '', status: 'executing', step: 'preflight' }, 'paused'),
  operation('resume', 'resumed', { title: '', status: 'paused', step: 'preflight' }, 'executing'),
  operation('promote', 'promoted', { title: '', status: 'executing', step: 'canary' }, 'executing'),
  operation('abort', 'aborted', { title: '', status: 'executing', step: 'canary' }, 'cancelled'),
  operation('rollback', 'rolled_back', { title: '', status: 'completed', ...LIVE }, 'rolling_back'),
]

const request = () => ({ title: 'x', rulesets: [{ name, from_seq: seq }], environments: ['prod'] })
const policy = () => made(ask('POST', '/release-policies', { name: newName(), match: { environments: ['dev'] } }))
const hook = () => made(ask('POST', '/webhooks', { url: 'http://127.0.0.1:9/x', events: ['execution_failed'] }))
const tomorrow = () => new Date(Date.now() + 86_400_000).toISOString()
const shadow = () => ({ ruleset: name, from_seq: seq, environment: 'dev', percent: 1, ends_at: tomorrow() })
const publicKey = async () => (await ask('GET', '/signing-key')).body
const key = () => ({ private_key: generateKeys().privateKey })
const environment = async (path: string) => (await ask('GET', `/environments/${path}`)).body

/** Change only one member of an environment. */
const ofEnvironment = (member: 'canary' | 'recording', part: object): Row => ({
  route: `PUT /environments/{eid}/${member}`,
  action: 'environment.updated',
  async ready() {
    const before = await environment('prod')
    const after = { [member]: { ...before[member], ...part }, rev: before.rev + 1 }
    return { path: `/environments/prod/${member}`, body: part, id: before.id, before, after }
  },
})

const ROWS: readonly Row[] = [
  {
    route: 'POST /releases',
    action: 'release.created',
    ready: async () => ({ path: '/releases', body: request(), before: null, after: { status: 'pending_approval' } }),
  },
  ...OPERATIONS,
  {
    route: 'POST /releases/{rid}/execute',
    action: 'release.executed',
    async ready() {
      const { id } = await standing('pending_approval')
      await ask('POST', `/releases/${id}/approve`, {})
      const path = `/releases/${id}/execute`
      return { path, body: {}, id, before: { status: 'approved' }, after: { status: 'executing' } }
    },
  },
  {
    route: 'POST /releases/{rid}/comments',
    action: 'comment.created',
    async ready() {
      const { id } = await standing('approved')
      const body = { text: 'looks good' }
      return { path: `/releases/${id}/comments`, body, id, before: null, after: body }
    },
  },
  {
    route: 'PUT /releases/{rid}/comments/{cid}',
    action: 'comment.updated',
    async ready() {
      const { id } = await standing('approved')
      const comment = await made(ask('POST', `/releases/${id}/comments`, { text: 'why?' }))
      const path = `/releases/${id}/comments/${comment.id}`
      return { path, body: { settled: true }, id, before: { settled: false }, after: { settled: true } }
    },
  },
  {
    route: 'DELETE /releases/{rid}/comments/{cid}',
    action: 'comment.deleted',
    async ready() {
      const { id } = await standing('approved')
      const text = 'looks good'
      const comment = await made(ask('POST', `/releases/${id}/comments`, { text }))
      const path = `/releases/${id}/comments/${comment.id}`
      return { path, id, before: { id: comment.id, text }, after: null }
    },
  },
  {
    route: 'PUT /releases/{rid}/signatures/{name}',
    action: 'release.signed',
    async ready() {
      const { id } = await standing('approved')
      const keys = generateKeys()
      await scene.owner.request('PUT', `${scene.team.path}/trusted-keys`, { public_keys: [keys.publicKey] })
      const path = `/releases/${id}/signatures/${name}`
      const document = (await ask('GET', path)).body
      const body = sign(document, parsePrivateKey(keys.privateKey), new Date().toISOString())['_signature'] as object
      return { path, body, id, before: null, after: { name, public_key: keys.publicKey } }
    },
  },
  {
    route: 'POST /rulesets/{name}/history/{id}/rollback',
    action: 'release.created',
    async ready() {
      const { id } = await scene.release(scene.owner, name, seq)
      await makeLive(database(), org(), id)
      await makeLive(database(), org(), (await scene.release(scene.owner, name, await other())).id)
      await endAll(database(), org())
      const { body } = await ask('GET', `/rulesets/${name}/history`)
      const entry = body.items.find((one: { readonly release_id: string }) => one.release_id === id)
      const after = { kind: 'rollback', status: 'approved' }
      return { path: `/rulesets/${name}/history/${entry.id}/rollback`, body: {}, before: null, after }
    },
  },
  {
    route: 'POST /release-policies',
    action: 'policy.created',
    async ready() {
      const body = { name: 'p', match: { environments: ['dev'] } }
      return { path: '/release-policies', body, before: null, after: { ...body, rev: 1 } }
    },
  },
  {
    route: 'PUT /release-policies/{id}',
    action: 'policy.updated',
    async ready() {
      const before = await policy()
      const body = { priority: 7 }
      return { path: `/release-policies/${before.id}`, body, before, after: { ...body, rev: before.rev + 1 } }
    },
  },
  {
    route: 'DELETE /release-policies/{id}',
    action: 'policy.deleted',
    async ready() {
      const before = await policy()
      return { path: `/release-policies/${before.id}`, id: before.id, before, after: null }
    },
  },
  {
    route: 'POST /webhooks',
    action: 'webhook.created',
    async ready() {
      const body = { url: 'http://127.0.0.1:9/made', events: ['*'] }
      return { path: '/webhooks', body, before: null, after: { events: ['*'], format: 'json', enabled: true } }
    },
  },
  {
    route: 'PUT /webhooks/{id}',
    action: 'webhook.updated',
    async ready() {
      const { id } = await hook()
      return { path: `/webhooks/${id}`, body: { enabled: false }, before: { enabled: true }, after: { enabled: false } }
    },
  },
  {
    route: 'DELETE /webhooks/{id}',
    action: 'webhook.deleted',
    async ready() {
      const { id } = await hook()
      return { path: `/webhooks/${id}`, id, before: { id, enabled: true }, after: null }
    },
  },
  {
    route: 'POST /webhooks/{id}/deliveries/{did}/redeliver',
    action: 'webhook.redelivered',
    async ready() {
      const webhook = { url: 'http://127.0.0.1:9/x', events: ['execution_failed'], enabled: false }
      const { id } = await made(ask('POST', '/webhooks', webhook))
      const { id: delivery } = (await ask('POST', `/webhooks/${id}/test`)).body
      const path = `/webhooks/${id}/deliveries/${delivery}/redeliver`
      return { path, id, before: null, after: { id: delivery, attempt: 1, status: 'failed' } }
    },
  },
  {
    route: 'POST /shadows',
    action: 'shadow.created',
    ready: async () => ({ path: '/shadows', body: shadow(), before: null, after: { ruleset: name, percent: 1 } }),
  },
  {
    route: 'DELETE /shadows/{id}',
    action: 'shadow.deleted',
    async ready() {
      const { id } = await made(ask('POST', '/shadows', { ...shadow(), environment: 'staging' }))
      return { path: `/shadows/${id}`, id, before: { id, ruleset: name }, after: null }
    },
  },
  {
    route: 'POST /replays',
    action: 'replay.created',
    async ready() {
      await makeLive(database(), scene.team.id, (await scene.release(scene.owner, name, seq)).id)
      const body = { ruleset: name, from_seq: seq, environment: 'prod' }
      return { path: '/replays', body, before: null, after: { ruleset: name, status: 'running', total: 0 } }
    },
  },
  {
    route: 'DELETE /replays/{id}',
    action: 'replay.deleted',
    async ready() {
      const { id } = await made(ask('POST', '/replays', { ruleset: name, from_seq: seq, environment: 'prod' }))
      return { path: `/replays/${id}`, id, before: { id, ruleset: name }, after: null }
    },
  },
  ofEnvironment('canary', { alpha: 0.02 }),
  ofEnvironment('recording', { rate: 3 }),
  {
    route: 'DELETE /rulesets/{name}/decisions',
    action: 'draft.decisions_deleted',
    async ready() {
      const id = expect.any(String)
      return { path: `/rulesets/${name}/decisions`, id, before: null, after: { count: 0, code: null } }
    },
  },
  {
    route: 'PUT /signing-key',
    action: 'signing_key.created',
    async ready() {
      const after = { public_key: expect.any(String) }
      return { path: '/signing-key', body: key(), id: scene.P.split('/').at(-1) ?? '', before: null, after }
    },
  },
  {
    route: 'DELETE /signing-key',
    action: 'signing_key.deleted',
    async ready() {
      await ask('PUT', '/signing-key', key())
      return { path: '/signing-key', id: scene.P.split('/').at(-1) ?? '', before: await publicKey(), after: null }
    },
  },
]

/** Another content, so that a rollback to the earlier one is possible. */
const other = () => scene.save(scene.owner, name, 99)

/** They change nothing. */
const SILENT = ['POST /releases/preview', 'POST /webhooks/{id}/test']

describe('actions of people and programs on releases are in the audit, with the states before and after', () => {
  test.each(ROWS.map((row) => [row.route, row] as const))('%s', async (route, { action, ready }) => {
    const { path, body, id, before, after } = await ready()
    const method = route.split(' ')[0] as 'POST' | 'PUT' | 'DELETE'
    const [entries, { status, text, body: answer }] = await auditOf<Answered>(() => ask(method, path, body))
    expect(status, text).toBeLessThan(300)
    const [entry, ...others] = entries.filter((one) => one.action === action)
    const object = { type: action.split('.')[0], id: id ?? answer.id }
    expect([entry, others]).toMatchObject([{ actor: { type: 'user', id: scene.owner.userId }, object }, []])
    for (const [shown, expected] of [
      [entry?.before, before],
      [entry?.after, after],
    ])
      if (expected === null) expect(shown).toBeNull()
      else expect(shown).toMatchObject(expected ?? {})
  })

  test('releases have no other operation', async () => {
    const { body } = await platform.browser().request('GET', '/api/v1/openapi.json')
    const P = '/api/v1/orgs/{oid}/projects/{pid}'
    const about =
      /^\/(releases|release-policies|webhooks|shadows|replays|signing-key)\b|\/(history|decisions|canary|recording)\b/
    const routes = Object.entries<object>(body.paths).flatMap(([path, methods]) =>
      path.startsWith(`${P}/`) && about.test(path.slice(P.length))
        ? Object.keys(methods)
            .filter((method) => method !== 'get')
            .map((method) => `${method.toUpperCase()} ${path.slice(P.length)}`)
        : [],
    )
    expect(routes.toSorted()).toEqual([...ROWS.map(({ route }) => route), ...SILENT].toSorted())
  })
})

/** The action of each operation on a release that there is already. */
const ACTIONS: Readonly<Record<Exclude<Operation, 'create'>, string>> = {
  approve: 'approved',
  reject: 'rejected',
  cancel: 'cancelled',
  execute: 'executed',
  hold: 'paused',
  pause: 'paused',
  resume: 'resumed',
  promote: 'promoted',
  abort: 'aborted',
  rollback: 'rolled_back',
  fail_stage: 'updated',
  fail: 'updated',
  complete: 'updated',
  end_rollback: 'updated',
}

const TAKEN = TRANSITIONS.flatMap(({ from, operation: taken, when, to }) =>
  from.flatMap((state) =>
    state === 'none' || taken === 'create' ? [] : [{ state, taken, when, to, title: `${state}, ${taken}, then ${to}` }],
  ),
)

test.each(TAKEN)('each row of the table of states is in the audit: $title', async ({ state, taken, when, to }) => {
  const { id } = await standing(state)
  const [entries] = await auditOf(() =>
    database().change(org(), SYSTEM, async (change) => {
      const release = await change.scope
        .read('releases')
        .selectFrom('releases')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
      await changeState(change, release, taken, { actor: SYSTEM.actor, conditions: when })
    }),
  )
  expect(entries).toMatchObject([
    {
      action: `release.${ACTIONS[taken]}`,
      object: { type: 'release', id },
      before: { status: state },
      after: { status: to },
    },
  ])
})
