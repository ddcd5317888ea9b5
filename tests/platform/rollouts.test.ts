import { generateKeys, parsePrivateKey, sign } from '@engine/signing'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { DATABASES_OF_API, useDatabase } from './databases.testing.ts'
import { newName } from './drafts.testing.ts'
import { addEngine, engineNamed } from './engines.testing.ts'
import { type OpenStream, readEvents } from './events.testing.ts'
import { charging, FAILING, granting, type Releasing, startReleasing } from './rollouts.testing.ts'
import { teamOf } from './team.testing.ts'

const NO_CANARY = { stages: [], on_failure: 'pause', on_inconclusive: 'hold' }
/** Seconds of a stage that ends by its counts, not by its time. */
const LONG = 3600

describe.each(DATABASES_OF_API)('on %s', (kind) => {
  const database = useDatabase(kind)
  let its: Releasing
  beforeAll(async () => {
    its = await startReleasing(database())
  })
  afterAll(() => its.stop())

  const canary = async (environment: string, settings: object) => {
    const path = `${its.team.P}/environments/${environment}/canary`
    const { status, text } = await its.team.owner.request('PUT', path, settings)
    expect(status, text).toBe(200)
    onTestFinished(async () => void (await its.team.owner.request('PUT', path, NO_CANARY)))
  }
  const stage = (percent: number, duration_s = LONG) => ({ percent, duration_s })
  const types = async (release: string) => (await its.events(release)).map(({ type }) => type)
  const feeOf = async (name: string, environment = 'prod', key?: string) =>
    (await its.decide(environment, name, key)).body.output?.fee
  const stageOf = async (release: string) => (await its.get(`${release}/execution`)).stage

  test('a release reaches its engine, and the execution reports each step once', async () => {
    const name = newName()
    const { id } = await its.serving('prod')
    const release = await its.deploy(name, '2', 'prod')
    await its.reaches(release, 'completed')
    expect(await feeOf(name)).toBe(20)
    const { headers } = await its.decide('prod', name)
    const { id: releaseId } = await its.get(release)
    expect(headers.get('x-release-id')).toBe(releaseId)
    const events = await its.events(release)
    expect(events.map(({ type }) => type).filter((type) => type !== 'server_state')).toEqual([
      'execution_started',
      'environment_started',
      'preflight_passed',
      'environment_completed',
      'execution_completed',
    ])
    expect(events.filter(({ type }) => type === 'server_state').at(-1)?.data).toMatchObject({
      server_id: id,
      ruleset: name,
      to: 'live',
    })
    const execution = await its.get(`${release}/execution`)
    expect(execution).toMatchObject({
      status: 'completed',
      step: 'done',
      environment: 'prod',
      stage: null,
      servers: [{ server_id: id, environment: 'prod', status: 'live', error: null }],
      error: null,
    })
    expect((await its.get(`${release}/executions`)).items).toEqual([execution])
    const { number, content_digest: _content, rulesets } = await its.get(release)
    const note = `release ${number}: a change`
    const deployment = {
      environment: 'prod',
      seq: 1,
      digest: rulesets[0].digest,
      status: 'success',
      release_note: note,
    }
    expect((await its.get(`${its.team.P}/rulesets/${name}/deployments`)).items).toMatchObject([deployment])
    expect(await its.get(`${release}/executions/${execution.id}`)).toEqual(execution)
  })

  test('a candidate that fails is found, rolled back, and never seen by name', async () => {
    const name = newName()
    await its.serving('prod')
    await its.reaches(await its.deploy(name, '2', 'prod'), 'completed')
    await canary('prod', { stages: [stage(50)], on_failure: 'rollback' })
    const release = await its.deploy(name, FAILING, 'prod')
    await expect.poll(() => stageOf(release)).toMatchObject({ index: 0, percent: 50 })
    const { number } = await its.get(release)
    const seen = new Set<number>()
    let round = 0
    await expect
      .poll(async () => {
        for (let key = 0; key < 20; key++) {
          const { status, text, headers } = await its.decide('prod', name, `user-${round}-${key}`)
          seen.add(status)
          expect(text + JSON.stringify([...headers])).not.toContain(`.r${number}`)
        }
        round++
        return (await its.get(release)).status
      })
      .toMatch(/roll/)
    expect(seen.size).toBe(2)
    await its.reaches(release, 'rolled_back')
    const verdicts = (await its.events(release)).filter(({ type }) => type === 'stage_verdict')
    expect(verdicts.at(-1)?.data).toMatchObject({ decision: 'rollback', errors: { stable: 0 } })
    const notices = (await its.get(`${its.team.O}/notifications`)).items
    expect(
      notices.find(({ ref_id }: { ref_id: string }) => release.endsWith(ref_id)),
      'a canary that fails is told',
    ).toMatchObject({ kind: 'release_failed', payload: { number, error: 'the candidate fails more often' } })
    // The earlier content decides, for every key.
    for (let key = 0; key < 20; key++) expect(await feeOf(name, 'prod', `user-0-${key}`)).toBe(20)
    const { items } = await its.get(`${its.team.P}/releases?status=completed`)
    expect(items.find(({ rollback_of }: { rollback_of: string }) => release.endsWith(rollback_of))).toMatchObject({
      kind: 'rollback',
      number: number + 1,
    })
    // The candidate is gone from the engine.
    const candidate = (held: { readonly name: string }) => held.name.startsWith(`${name}.r`)
    await expect
      .poll(async () =>
        (await its.get('/api/v1/servers')).items
          .flatMap((one: { current_rulesets: [] }) => one.current_rulesets)
          .filter(candidate),
      )
      .toEqual([])
    expect((await its.decide('prod', `${name}.r${number}`)).status).toBe(404)
  })

  test('a good candidate is promoted through its stages; keys stay with it', async () => {
    const name = newName()
    await its.serving('prod')
    const before = await its.deploy(name, '2', 'prod')
    await its.reaches(before, 'completed')
    await canary('prod', { stages: [stage(30, 2), stage(60, 2)], on_inconclusive: 'promote' })
    const release = await its.deploy(name, '3', 'prod')
    await expect.poll(() => stageOf(release)).not.toBeNull()
    const moved = new Set<string>()
    let isDone = false
    while (!isDone) {
      for (let key = 0; key < 30; key++) {
        const { body, headers } = await its.decide('prod', name, `user-${key}`)
        const isNew = body.output.fee === 30
        if (moved.has(`user-${key}`)) expect(isNew).toBe(true)
        if (isNew) moved.add(`user-${key}`)
        expect((isNew ? release : before).endsWith(`/${headers.get('x-release-id')}`)).toBe(true)
      }
      isDone = (await its.get(release)).status === 'completed'
    }
    expect(moved.size).toBe(30)
    expect((await types(release)).filter((type) => type.startsWith('stage_') && type !== 'stage_verdict')).toEqual([
      'stage_started',
      'stage_passed',
      'stage_started',
      'stage_passed',
    ])
  })

  test('a stage without any proof is held, until a person promotes it', async () => {
    const name = newName()
    await its.serving('prod')
    await its.reaches(await its.deploy(name, '2', 'prod'), 'completed')
    await canary('prod', { stages: [stage(10, 1)] })
    const asked = { title: 'x', rulesets: [{ name, from_seq: 1 }], environments: ['prod'] }
    const preview = (await its.post(`${its.team.P}/releases/preview`, asked)).body
    expect([preview.would_create, preview.blocked]).toEqual([
      true,
      [expect.objectContaining({ code: 'no_latency_guard', severity: 'warning', path: '/environments' })],
    ])
    const release = await its.deploy(name, '3', 'prod')
    await expect.poll(async () => (await stageOf(release))?.verdict?.decision).toBe('hold')
    expect((await its.get(release)).status).toBe('executing')
    const { id } = await its.get(`${release}/execution`)
    const canaries = () => its.get(`${release}/executions/${id}/canaries`)
    const { items } = await canaries()
    expect(items).toMatchObject([
      {
        environment: 'prod',
        alpha: 0.01,
        on_inconclusive: 'hold',
        slow_above_ms: null,
        stages: [{ index: 0, percent: 10, duration_s: 1, begun_at: expect.any(String), ended_at: null }],
        measures: {
          errors: {
            canary: 0,
            e: 1,
            alarm: 625,
            alarm_at: expect.any(Number),
            ratio: { estimate: null, low: 0, high: null },
          },
          codes: { alarm: 500 },
        },
        predicted: null,
      },
    ])
    expect((await its.post(`${release}/promote`)).status).toBe(200)
    await its.reaches(release, 'completed')
    expect(await feeOf(name)).toBe(30)
    // The numbers of a rollout remain after its end.
    const [after] = (await canaries()).items
    expect(after).toMatchObject({ measures: items[0].measures, stages: [{ ended_at: expect.any(String) }] })
  })

  test('results that the release is expected to change hold no stage', async () => {
    const name = newName()
    await its.serving('prod')
    const prepare = async (limit: number) =>
      its.release([{ name, from_seq: await its.save(name, granting(name, limit)) }], 'prod')
    const first = await prepare(60)
    await its.post(`${first}/execute`)
    await its.reaches(first, 'completed')
    await canary('prod', { stages: [stage(50)], alpha: 0.05 })
    const release = await prepare(20)
    const wrong = await its.post(`${release}/execute`, { expect: [{ from: 'DENIED', to: 'GRANTED' }] })
    expect([wrong.status, wrong.body.details]).toEqual([
      400,
      [
        {
          path: '/expect/0',
          message: 'is `DENIED->GRANTED`, which the impact of the release does not name: it names `GRANTED->DENIED`',
        },
      ],
    ])
    const expected = [{ from: 'GRANTED', to: 'DENIED', share: 0.9 }]
    expect((await its.post(`${release}/execute`, { expect: expected })).status).toBe(202)
    const { id, expected: kept } = await its.get(`${release}/execution`)
    expect(kept).toEqual([{ ...expected[0], environments: ['prod'] }])
    await expect.poll(() => stageOf(release)).not.toBeNull()
    for (let key = 0; key < 120; key++) await its.decide('prod', name, `${key}`, { amount: (key * 37) % 100 })
    const codes = async () => {
      const [{ measures }] = (await its.get(`${release}/executions/${id}/canaries`)).items
      return measures.codes
    }
    const counted = ({ counts }: { counts: Record<string, { canary: number; stable: number }> }) =>
      Object.values(counts).reduce((sum, { canary: one, stable }) => sum + one + stable, 0)
    await expect.poll(async () => counted(await codes())).toBe(120)
    const { e, alarm, counts } = await codes()
    expect(Object.keys(counts).toSorted()).toEqual(['DENIED', 'GRANTED'])
    expect(e).toBeLessThan(alarm)
    expect((await stageOf(release))?.verdict?.decision ?? 'continue').toBe('continue')
    expect((await its.events(release)).at(0)?.data).toEqual({ emergency_reason: null, expected })
    expect((await its.post(`${release}/abort`)).status).toBe(200)
  })

  test('a paused execution makes no progress, and can be aborted in its canary', async () => {
    const name = newName()
    await its.serving('prod')
    await its.reaches(await its.deploy(name, '2', 'prod'), 'completed')
    await canary('prod', { stages: [stage(50)] })
    const release = await its.deploy(name, '3', 'prod')
    await expect.poll(() => stageOf(release)).not.toBeNull()
    const { ends_at } = await stageOf(release)
    const paused = await its.post(`${release}/pause`)
    expect([paused.status, paused.body.status]).toEqual([200, 'paused'])
    expect((await its.post(`${release}/pause`)).body).toMatchObject({
      code: 'CONFLICT',
      details: [{ code: 'wrong_state' }],
      current: { status: 'paused' },
    })
    // The split stays, and is still counted.
    const fees = new Set<number>()
    for (let key = 0; key < 40; key++) fees.add(await feeOf(name, 'prod', `user-${key}`))
    expect(fees).toEqual(new Set([20, 30]))
    const counted = () =>
      database()
        .unscoped.tables.selectFrom('canary_counts')
        .select('requests')
        .where('execution_id', '=', paused.body.id)
        .where('requests', '>', 0)
        .execute()
    await expect.poll(counted).not.toEqual([])
    expect((await stageOf(release)).verdict).toEqual(paused.body.stage.verdict)
    const resumed = await its.post(`${release}/resume`)
    expect(resumed.body.status).toBe('running')
    expect(Date.parse(resumed.body.stage.ends_at)).toBeGreaterThan(Date.parse(ends_at))
    const another = await its.release([{ name, from_seq: 1 }], 'prod')
    expect((await its.post(`${another}/execute`)).body.details[0].code).toBe('busy')
    expect((await its.post(`${release}/abort`)).body.status).toBe('cancelled')
    await expect.poll(() => feeOf(name, 'prod', 'user-1')).toBe(20)
    expect((await its.get(release)).status).toBe('cancelled')
    // Its stream ends with the last event, so the removal of the candidate is reported before it.
    expect((await types(release)).slice(-2)).toEqual(['server_state', 'execution_cancelled'])
    const live = (await its.get(`${its.team.P}/rulesets?q=${name}`)).items[0].live[0].digest
    expect((await its.get(`${release}/execution`)).servers).toMatchObject([{ status: 'rolled_back', digest: live }])
    expect((await its.post(`${another}/cancel`)).status).toBe(200)
  })

  test('environments come one after another, and one that is held waits for a person', async () => {
    const name = newName()
    await its.serving('dev')
    await its.serving('prod')
    const prod = `${its.team.P}/environments/${(await its.get(`${its.team.P}/environments/prod`)).id}`
    await its.team.owner.request('PUT', prod, { hold_before: true })
    onTestFinished(async () => void (await its.team.owner.request('PUT', prod, { hold_before: false })))
    const from_seq = await its.save(name, charging(name, '4'))
    const release = await its.release([{ name, from_seq }], 'dev', 'prod')
    await its.post(`${release}/execute`)
    await its.reaches(release, 'paused')
    expect(await feeOf(name, 'dev')).toBe(40)
    expect((await its.decide('prod', name)).status).toBe(404)
    await its.post(`${release}/resume`)
    await its.reaches(release, 'completed')
    expect(await feeOf(name)).toBe(40)
    const events = await its.events(release)
    expect(events.filter(({ type }) => type === 'environment_completed')).toHaveLength(2)
  })

  test('a release is rolled back to the earlier content, and is not where there was none', async () => {
    const name = newName()
    const { id } = await its.serving('prod')
    const first = await its.deploy(name, '2', 'prod')
    await its.reaches(first, 'completed')
    expect((await its.post(`${first}/rollback`)).body.details[0].code).toBe('no_baseline')
    const second = await its.deploy(name, '3', 'prod')
    await its.reaches(second, 'completed')
    expect(await feeOf(name)).toBe(30)
    expect((await its.post(`${first}/rollback`)).body.details[0].code).toBe('wrong_state')
    // A rollback is not held.
    const environment = `${its.team.P}/environments/prod`
    await its.team.owner.request('PUT', environment, { hold_before: true })
    onTestFinished(async () => void (await its.team.owner.request('PUT', environment, { hold_before: false })))
    const { status, body, headers } = await its.post(`${second}/rollback`, { reason: 'too dear' })
    expect([status, body.kind, body.status]).toEqual([201, 'rollback', 'executing'])
    expect(headers.get('location')).toContain(`/releases/${body.id}`)
    await its.reaches(second, 'rolled_back')
    expect(await feeOf(name)).toBe(20)
    expect((await its.get(`${second}/execution`)).status).toBe('rolled_back')
    const history = (await its.get(`${second}/history`)).items
    expect(history.slice(-3).map(({ type }: { type: string }) => type)).toEqual([
      'rollback_started',
      'server_state',
      'rollback_completed',
    ])
    // The old release's part of the rollback is not part of its execution.
    expect(history.at(-3)).toMatchObject({ execution_id: null, data: { reason: 'too dear' } })
    expect(await types(second)).not.toContain('rollback_started')
    const { servers } = await its.get(`${second}/execution`)
    expect(servers).toMatchObject([{ server_id: id, status: 'rolled_back', canary_only: false }])
    expect(history.at(-2).data).toEqual({
      server_id: id,
      ruleset: name,
      from: 'live',
      to: 'rolled_back',
      digest: servers[0].digest,
    })
  })

  test('an entry of the history of a ruleset is restored', async () => {
    const name = newName()
    await its.serving('prod')
    for (const factor of ['2', '3', '4']) await its.reaches(await its.deploy(name, factor, 'prod'), 'completed')
    const path = `${its.team.P}/rulesets/${name}/history`
    const { items } = await its.get(path)
    expect(items.map((entry: { snapshot: { from_seq: number } }) => entry.snapshot.from_seq)).toEqual([3, 2, 1])
    const { id: asker } = (await its.get(`/api/v1/me`)).user
    expect(items.map((entry: { by: string }) => entry.by)).toEqual([asker, asker, asker])
    const present = await its.post(`${path}/${items[0].id}/rollback`)
    expect(present.body).toMatchObject({
      details: [{ code: 'wrong_state' }],
      current: {
        status: 'completed',
        allowed: (await its.get(`${its.team.P}/releases/${items[0].release_id}`)).allowed,
      },
    })
    const { status, body } = await its.post(`${path}/${items[2].id}/rollback`, { reason: 'too dear' })
    expect([status, body.kind, body.environments, body.rulesets[0], body.description]).toEqual([
      201,
      'rollback',
      ['prod'],
      { name, from_seq: 1, version: '1.0.0', digest: items[2].digest },
      'too dear',
    ])
    const release = `${its.team.P}/releases/${body.id}`
    await its.reaches(release, 'completed')
    expect(await feeOf(name)).toBe(20)
    expect((await its.get(`${its.team.P}/releases/${items[0].release_id}`)).requirements.map(Object.keys)).toEqual([
      ['environment', 'policy_id', 'min_count', 'roles', 'exclude_authors', 'approved_by', 'satisfied'],
    ])
    expect((await its.get(`${release}/diff`)).diffs).toMatchObject([
      { ruleset: name, base: { digest: items[0].digest } },
    ])
    // The earlier release is unchanged: only this ruleset was rolled back.
    expect((await its.get(`${its.team.P}/releases/${items[0].release_id}`)).status).toBe('completed')
  })

  test('content that became live in between makes a release stale', async () => {
    const name = newName()
    await its.serving('prod')
    await its.reaches(await its.deploy(name, '2', 'prod'), 'completed')
    const from_seq = await its.save(name, charging(name, '3'))
    const late = await its.release([{ name, from_seq }], 'prod')
    await its.reaches(await its.deploy(name, '4', 'prod'), 'completed')
    const { status, body } = await its.post(`${late}/execute`)
    expect([status, body.details[0].code]).toEqual([409, 'stale'])
    expect(body.current).toEqual({ status: 'approved', allowed: (await its.get(late)).allowed })
    expect(await feeOf(name)).toBe(40)
  })

  test('an offline engine is skipped; where all are offline, the release fails and can be executed again', async () => {
    const name = newName()
    const away = await addEngine(its.platform, await its.team.connectToken(), engineNamed(newName(), { tenants: true }))
    await its.team.owner.request('PUT', `${its.team.P}/server`, { environment: 'prod', server_ids: [away.id] })
    const release = await its.deploy(name, '2', 'prod')
    await its.reaches(release, 'failed')
    expect((await its.get(`${release}/execution`)).error).toContain('healthy')
    const { id } = await its.serving('prod')
    expect((await its.post(`${release}/execute`)).status).toBe(202)
    await its.reaches(release, 'completed')
    const { servers } = await its.get(`${release}/execution`)
    expect(servers.map(({ server_id, status }: Record<string, string>) => [server_id, status])).toEqual([
      [away.id, 'skipped'],
      [id, 'live'],
    ])
    expect((await its.get(`${release}/executions`)).items).toHaveLength(2)
    const next = await its.deploy(name, '3', 'prod')
    await its.reaches(next, 'completed')
    await its.post(`${next}/rollback`)
    await its.reaches(next, 'rolled_back')
    expect(await feeOf(name)).toBe(20)
  })

  test('an engine that does not take a release within a minute fails it; the others have it', async () => {
    const name = newName()
    const admin = await teamOf(its.platform, its.team.owner, { id: its.team.org }).join(['admin'])
    const { id } = await its.serving('prod')
    const idle = await addEngine(its.platform, await its.team.connectToken(), engineNamed(newName(), { tenants: true }))
    await idle.beat()
    // A release leaves out the engines that are offline when it starts.
    const beats = setInterval(() => void idle.beat().catch(() => undefined), 500)
    onTestFinished(() => clearInterval(beats))
    const { server_ids } = await its.get(`${its.team.P}/server?environment=prod`)
    const both = { environment: 'prod', server_ids: [...server_ids, idle.id] }
    await its.team.owner.request('PUT', `${its.team.P}/server`, both)
    const release = await its.deploy(name, '2', 'prod')
    const states = async () =>
      (await its.get(`${release}/execution`)).servers.map(({ server_id, status }: Record<string, string>) => [
        server_id,
        status,
      ])
    await expect.poll(states).toContainEqual([id, 'live'])
    const { tables } = database().unscoped
    const waited = { waiting_since: new Date(Date.now() - 61_000) }
    await tables.updateTable('release_servers').set(waited).where('server_id', '=', idle.id).execute()
    await its.reaches(release, 'failed')
    expect(await states()).toEqual([
      [id, 'live'],
      [idle.id, 'failed'],
    ])
    expect((await its.get(`${release}/execution`)).error).toMatch(
      /60 s\. Delivered to 1 of 2 engines of `prod`; the others take it when they return: roll back to undo$/,
    )
    // Its creator and the admins are notified.
    for (const person of [its.team.owner, admin]) {
      const { items } = (await person.request('GET', `${its.team.O}/notifications`)).body
      expect(
        items.map(({ kind: of, ref_id }: Record<string, string>) => [of, `${its.team.P}/releases/${ref_id}`]),
      ).toContainEqual(['release_failed', release])
    }
  })

  test('a name that another environment of the engine has taken since the creation fails the release', async () => {
    const name = newName()
    const engine = await addEngine(its.platform, await its.team.connectToken(), engineNamed(newName()))
    const serve = async () => {
      const { name: environment } = (
        await its.post(`${its.team.P}/environments`, { name: newName(), requires_release: false })
      ).body
      const body = { environment, server_ids: [engine.id] }
      expect((await its.team.owner.request('PUT', `${its.team.P}/server`, body)).status).toBe(200)
      return environment as string
    }
    const here = await serve()
    const from_seq = await its.save(name, charging(name, '2'))
    const release = await its.release([{ name, from_seq }], here)
    // Nothing of that name is in the way yet.
    const environment = await serve()
    expect((await its.post(`${its.team.P}/rulesets/${name}/publish`, { environment })).status).toBe(202)
    await its.post(`${release}/execute`)
    await its.reaches(release, 'failed')
    const { step, error } = await its.get(`${release}/execution`)
    expect([step, error]).toEqual(['preflight', expect.stringContaining('has no tenants')])
    expect(await types(release)).not.toContain('preflight_passed')
  })

  test('a refusal by an engine fails the release, which names the engine', async () => {
    const name = newName()
    const { publicKey } = generateKeys()
    const { id } = await its.serving(
      'prod',
      '--signature-enabled',
      '--signature-require',
      '--signature-trusted-keys',
      publicKey,
    )
    const release = await its.deploy(name, '2', 'prod')
    await its.reaches(release, 'failed')
    const { status, servers, error } = await its.get(`${release}/execution`)
    expect([status, servers[0].server_id, servers[0].status]).toEqual(['failed', id, 'failed'])
    expect(error).toContain('refuses')
  })

  test('an engine that takes signed content alone takes candidates and releases of a project with a key', async () => {
    const name = newName()
    const keys = generateKeys()
    const path = `${its.team.P}/signing-key`
    await its.team.owner.request('PUT', path, { private_key: keys.privateKey })
    onTestFinished(async () => void (await its.team.owner.request('DELETE', path)))
    const trusting = ['--signature-enabled', '--signature-require', '--signature-trusted-keys', keys.publicKey]
    await its.serving('prod', ...trusting)
    await its.reaches(await its.deploy(name, '2', 'prod'), 'completed')
    await canary('prod', { stages: [stage(50)] })
    const release = await its.deploy(name, '3', 'prod')
    await expect.poll(() => stageOf(release)).not.toBeNull()
    await its.post(`${release}/promote`)
    await its.reaches(release, 'completed')
    expect(await feeOf(name)).toBe(30)
  })

  test('signatures made outside the platform reach engines that take signed content alone', async () => {
    const name = newName()
    const keys = generateKeys()
    const privateKey = parsePrivateKey(keys.privateKey)
    const trusted = `/api/v1/orgs/${its.team.org}/trusted-keys`
    const put = (path: string, body: object) => its.team.owner.request('PUT', path, body)
    const signatureOf = async (release: string, of: string) => {
      const document = await its.get(`${release}/signatures/${of}`)
      return sign(document, privateKey, new Date().toISOString())['_signature'] as { readonly signature: string }
    }
    const trusting = ['--signature-enabled', '--signature-require', '--signature-trusted-keys', keys.publicKey]
    await its.serving('prod', ...trusting)
    const asked = async (factor: string) =>
      its.release([{ name, from_seq: await its.save(name, charging(name, factor)) }], 'prod')
    const first = await asked('2')
    const at = `${first}/signatures/${name}`
    const signature = await signatureOf(first, name)
    const untrusted = await put(at, signature)
    expect([untrusted.status, untrusted.body.details[0]]).toMatchObject([
      400,
      { path: '/public_key', message: 'is refused: untrusted public key' },
    ])
    expect((await put(trusted, { public_keys: ['x'] })).body.details[0].path).toBe('/public_keys/0')
    expect((await put(trusted, { public_keys: [keys.publicKey, keys.publicKey] })).body).toEqual({
      public_keys: [keys.publicKey],
    })
    expect((await put(at, { ...signature, signature: 'A'.repeat(86) + '==' })).body.details[0].path).toBe('/signature')
    expect((await put(`${first}/signatures/none`, signature)).status).toBe(404)
    expect((await put(at, signature)).body).toMatchObject({ name, public_key: keys.publicKey })
    expect((await its.get(`${first}/signatures`)).items).toMatchObject([{ name, public_key: keys.publicKey }])
    await its.post(`${first}/execute`)
    await its.reaches(first, 'completed')
    expect(await feeOf(name)).toBe(20)
    const late = await put(at, signature)
    expect([late.status, late.body.details[0].code]).toEqual([409, 'wrong_state'])
    // A candidate has a separate name, which another signature covers.
    await canary('prod', { stages: [stage(100)], on_failure: 'pause' })
    const second = await asked('3')
    const { number } = await its.get(second)
    const candidate = `${name}.r${number}`
    expect((await its.get(`${second}/signatures`)).items.map((one: { readonly name: string }) => one.name)).toEqual([
      name,
      candidate,
    ])
    for (const signed of [name, candidate])
      expect((await put(`${second}/signatures/${signed}`, await signatureOf(second, signed))).status).toBe(200)
    await its.post(`${second}/execute`)
    await expect.poll(() => feeOf(name)).toBe(30)
    await its.post(`${second}/promote`)
    await its.reaches(second, 'completed')
    expect(await feeOf(name)).toBe(30)
    const audit = await its.get(`/api/v1/orgs/${its.team.org}/audit?action=release.signed`)
    expect(audit.items).toHaveLength(3)
    expect((await put(trusted, { public_keys: [] })).status).toBe(200)
  })

  test('a ruleset is removed from an environment by a release', async () => {
    const name = newName()
    await its.serving('prod')
    await its.reaches(await its.deploy(name, '2', 'prod'), 'completed')
    const removal = await its.release([{ name, remove: true }], 'prod')
    await its.post(`${removal}/execute`)
    await its.reaches(removal, 'completed')
    expect((await its.decide('prod', name)).status).toBe(404)
    await its.post(`${removal}/rollback`)
    await its.reaches(removal, 'rolled_back')
    expect(await feeOf(name)).toBe(20)
  })

  test('the events of an execution are streamed from any number on, and end with it', async () => {
    const name = newName()
    await its.serving('prod')
    const release = await its.deploy(name, '2', 'prod')
    const { id } = await its.get(`${release}/execution`)
    const path = `${release}/executions/${id}/events`
    const cookie = `session=${its.team.owner.cookies.get('session')}`
    const read = async (headers: Record<string, string> = {}) => {
      const stream = await readEvents(its.platform.url + path, { cookie, ...headers })
      await expect.poll(stream.hasEnded).toBe(true)
      return stream
    }
    const whole = await read()
    const ids = ({ events }: OpenStream) => events.map((event) => Number(event.id))
    const all = ids(whole)
    expect(whole.events.at(-1)?.type).toBe('execution_completed')
    expect(all).toEqual(all.map((_, index) => (all[0] ?? 0) + index))
    for (const [index, last] of all.slice(0, -1).entries())
      expect(ids(await read({ 'last-event-id': String(last) }))).toEqual(all.slice(index + 1))
    expect((await read({ 'last-event-id': String(all.at(-1)) })).status).toBe(204)
    const list = await its.team.owner.request('GET', path, undefined, { accept: 'application/json' })
    expect(list.body.items.map((event: { id: number }) => event.id)).toEqual(all)
    expect((await its.team.owner.request('GET', `${path}?last_event_id=x`)).status).toBe(400)
  })
})
