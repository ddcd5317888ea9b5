import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DATABASES_OF_API, useDatabase } from './databases.testing.ts'
import { addEngine, engineNamed, startTeam, type Team } from './engines.testing.ts'
import { startPlatform, type TestPlatform } from './platform.testing.ts'

const A = '/api/v1'

describe.each(DATABASES_OF_API)('on %s', (kind) => {
  const database = useDatabase(kind)
  let platform: TestPlatform
  let team: Team
  beforeAll(async () => {
    platform = await startPlatform(database())
    team = await startTeam(platform)
  })
  afterAll(() => platform.stop())

  describe('projects', () => {
    test('begin with dev, staging and prod, of which prod is current', async () => {
      const { owner, O } = team
      const made = await owner.request('POST', `${O}/projects`, { name: 'Loans', description: 'of the bank' })
      expect([made.status, made.headers.get('location')]).toEqual([201, `${O}/projects/${made.body.id}`])
      expect(made.body).toMatchObject({
        org_id: team.org,
        name: 'Loans',
        description: 'of the bank',
        current_environment: 'prod',
        public_key: null,
        rev: 1,
      })
      const { body } = await owner.request('GET', `${O}/projects/${made.body.id}/environments?sort=created_at`)
      expect(
        body.items.map((one: { name: string; order: number; is_default: boolean; requires_release: boolean }) => [
          one.name,
          one.order,
          one.is_default,
          one.requires_release,
        ]),
      ).toEqual(
        expect.arrayContaining([
          ['dev', 0, false, false],
          ['staging', 1, false, true],
          ['prod', 2, true, true],
        ]),
      )
    })

    test('answer at both paths, and nowhere else', async () => {
      const { owner, P, project } = team
      const long = await owner.request('GET', P)
      const short = await owner.request('GET', `${A}/projects/${project}`)
      expect(short.body).toEqual(long.body)
      const other = await startTeam(platform)
      const missing = await owner.request('GET', `${A}/projects/${randomUUID()}`)
      for (const path of [
        `${other.O}/projects/${project}`,
        other.P,
        `${A}/projects/${other.project}`,
        `${A}/projects/none`,
      ]) {
        const { status, body } = await owner.request('GET', path)
        expect([status, body.code]).toEqual([404, missing.body.code])
      }
    })

    test('are changed only with their entity tag', async () => {
      const { owner, O } = team
      const { body } = await owner.request('POST', `${O}/projects`, { name: 'Taxes' })
      const path = `${O}/projects/${body.id}`
      const renamed = await owner.request('PUT', path, { name: 'Duties' }, { 'if-match': '"1"' })
      expect([renamed.status, renamed.body.name, renamed.headers.get('etag')]).toEqual([200, 'Duties', '"2"'])
      const stale = await owner.request('PUT', path, { name: 'Levies' }, { 'if-match': '"1"' })
      expect([stale.status, stale.body.details[0].code, stale.body.current.name]).toEqual([409, 'stale', 'Duties'])
      const current = await owner.request('PUT', path, { current_environment: 'dev' })
      expect([current.body.name, current.body.current_environment]).toEqual(['Duties', 'dev'])
      expect((await owner.request('PUT', path, { current_environment: 'none' })).status).toBe(400)
      expect((await owner.request('POST', `${O}/projects`, { name: 'Duties' })).body.details[0].code).toBe('duplicate')
      expect((await owner.request('DELETE', path)).status).toBe(204)
      expect((await owner.request('GET', path)).status).toBe(404)
    })

    test('that an engine serves cannot be deleted', async () => {
      const { owner, O } = team
      const { body } = await owner.request('POST', `${O}/projects`, { name: 'Bound' })
      const engine = await addEngine(platform, await team.connectToken(), engineNamed('bound'))
      const path = `${O}/projects/${body.id}`
      await owner.request('PUT', `${path}/server`, { environment: 'dev', server_ids: [engine.id] })
      const kept = await owner.request('DELETE', path)
      expect([kept.status, kept.body.details[0].code]).toEqual([409, 'in_use'])
      expect((await owner.request('DELETE', `${path}/environments/dev`)).status).toBe(409)
      await owner.request('PUT', `${path}/server`, { environment: 'dev', server_ids: [] })
      expect((await owner.request('DELETE', path)).status).toBe(204)
    })

    test('leave their changes in the audit', async () => {
      const { owner, O } = team
      const { body } = await owner.request('POST', `${O}/projects`, { name: 'Audited' })
      await owner.request('PUT', `${O}/projects/${body.id}`, { description: 'seen' })
      const entries = await database()
        .unscoped.tables.selectFrom('audit_entries')
        .select(['action', 'before', 'after'])
        .where('object_id', '=', body.id)
        .orderBy('at')
        .execute()
      expect(entries.map(({ action }) => action).sort()).toEqual(['project.created', 'project.updated'])
      expect(entries.find(({ action }) => action === 'project.updated')).toMatchObject({
        before: { description: '' },
        after: { description: 'seen' },
      })
    })
  })

  describe('environments', () => {
    test('are found by id and by name, created, changed and deleted', async () => {
      const { owner, P } = team
      const made = await owner.request('POST', `${P}/environments`, { name: 'load', requires_release: false })
      expect(made.body).toMatchObject({ name: 'load', order: 3, requires_release: false, tenant_id: made.body.id })
      const byName = await owner.request('GET', `${P}/environments/load`)
      expect(byName.body).toEqual((await owner.request('GET', `${P}/environments/${made.body.id}`)).body)
      const changed = await owner.request('PUT', `${P}/environments/load`, { hold_before: true, order: 7 })
      expect(changed.body).toMatchObject({ name: 'load', order: 7, hold_before: true, requires_release: false })
      expect((await owner.request('POST', `${P}/environments`, { name: 'load' })).status).toBe(409)
      expect((await owner.request('POST', `${P}/environments`, { name: 'a b' })).status).toBe(400)
      expect((await owner.request('DELETE', `${P}/environments/load`)).status).toBe(204)
      expect((await owner.request('GET', `${P}/environments/load`)).status).toBe(404)
      expect((await owner.request('DELETE', `${P}/environments/prod`)).body.details[0].code).toBe('in_use')
    })

    test('that are renamed stay current', async () => {
      const { owner, O } = team
      const { id } = (await owner.request('POST', `${O}/projects`, { name: 'Renamed' })).body
      const path = `${O}/projects/${id}`
      expect((await owner.request('PUT', `${path}/environments/prod`, { name: 'live' })).body.is_default).toBe(true)
      expect((await owner.request('GET', path)).body.current_environment).toBe('live')
    })

    test('have a split and a recording, of which a part can be changed', async () => {
      const { owner, P } = team
      const { id } = (await owner.request('GET', `${P}/environments/staging`)).body
      const path = `${P}/environments/prod`
      const split = { canary_target_env_id: id, canary_percentage: 12.5 }
      const { body } = await owner.request('PUT', `${path}/canary`, split)
      expect(body).toMatchObject({ ...split, stages: [], on_failure: 'pause' })
      const stages = [{ percent: 10, duration_s: 60 }]
      expect((await owner.request('PUT', `${path}/canary`, { stages })).body).toMatchObject({ ...split, stages })
      const prod = (await owner.request('GET', path)).body
      const refused = [
        { canary_percentage: 101 },
        { canary_percentage: -1 },
        { canary_target_env_id: prod.id },
        { canary_target_env_id: randomUUID() },
        { canary_target_env_id: null },
        { stages: [{ percent: 10 }] },
      ]
      for (const change of refused) expect((await owner.request('PUT', `${path}/canary`, change)).status).toBe(400)
      const recording = await owner.request('PUT', `${path}/recording`, { rate: 1, mask: ['user.email'] })
      expect(recording.body).toEqual({ rate: 1, retention_days: 30, mask: ['user.email'] })
      expect((await owner.request('GET', path)).body.recording).toEqual(recording.body)
    })
  })
})
