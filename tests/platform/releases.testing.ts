import { randomUUIDv7 } from 'node:crypto'
import { SYSTEM } from '../../apps/platform-server/src/database/audit.ts'
import type { Database } from '../../apps/platform-server/src/database/database.ts'
import type { OrgId } from '../../apps/platform-server/src/database/org-id.ts'
import { grading, newName } from './drafts.testing.ts'
import type { Answered, Client, TestPlatform } from './platform.testing.ts'
import { made, newTeam, type Team, type TestPerson } from './team.testing.ts'

/** A project with a ruleset, and the people around its releases. */
export interface Scene {
  readonly team: Team
  /** Path of the project. */
  readonly P: string
  readonly owner: TestPerson
  /** Save a ruleset as a person; gives its `seq`. */
  save(by: Client, name: string, points?: number, more?: object): Promise<number>
  /** Request a release. */
  ask(by: Client, name: string, fromSeq: number, environments?: readonly string[], more?: object): Promise<Answered>
  /** The same, made. */
  release(by: Client, name: string, fromSeq: number, environments?: readonly string[]): Promise<Answered['body']>
  policy(more?: object): Promise<Answered['body']>
}

/** A new organization with a project that has dev, staging and prod. */
export async function newScene(platform: TestPlatform): Promise<Scene> {
  const team = await newTeam(platform, newName())
  const { owner } = team
  const project = await made(owner.request('POST', `${team.path}/projects`, { name: 'Shop' }))
  return sceneOf(team, `${team.path}/projects/${project.id}`)
}

export function sceneOf(team: Team, P: string): Scene {
  const { owner } = team
  const ask: Scene['ask'] = (by, name, from_seq, environments = ['prod'], more = {}) =>
    by.request('POST', `${P}/releases`, { title: `of ${name}`, rulesets: [{ name, from_seq }], environments, ...more })
  return {
    team,
    P,
    owner,
    async save(by, name, points = 10, more = {}) {
      const { body: before } = await owner.request('GET', `${P}/rulesets/${name}`)
      const expected_seq = before?.seq ?? 0
      const answer = await by.request('POST', `${P}/rulesets/${name}`, {
        ruleset: grading(name, points, more),
        expected_seq,
      })
      if (answer.status >= 300) throw new Error(answer.text)
      return answer.body.seq
    },
    ask,
    release: (by, name, fromSeq, environments) => made(ask(by, name, fromSeq, environments)),
    policy: (more = {}) =>
      made(
        owner.request('POST', `${P}/release-policies`, { name: newName(), match: { environments: ['prod'] }, ...more }),
      ),
  }
}

/** Have a release be live everywhere it goes, as its execution leaves it. */
export async function makeLive(database: Database, org: string, release: string): Promise<void> {
  await database.change(org as OrgId, SYSTEM, async ({ scope, audit }) => {
    const targets = await scope
      .read('release_targets')
      .selectFrom('release_targets')
      .selectAll()
      .where('release_id', '=', release)
      .execute()
    for (const { environment_id, name, digest, version } of targets) {
      await scope
        .delete('desired_rulesets')
        .where('environment_id', '=', environment_id)
        .where('name', '=', name)
        .execute()
      const live = { environment_id, name, version: version ?? '', release_id: release }
      if (digest !== null) await scope.insert('desired_rulesets', { ...live, digest }).execute()
      await scope.insert('live_history', { ...live, id: randomUUIDv7(), version, digest, by: 'system' }).execute()
    }
    await scope.update('releases').set({ status: 'completed' }).where('id', '=', release).execute()
    await audit({ action: 'release.updated', object: { id: release, name: 'completed by a test' } })
  })
}
