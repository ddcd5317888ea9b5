import { randomUUIDv7 } from 'node:crypto'
import { SYSTEM } from '../../apps/platform-server/src/database/audit.ts'
import type { Database } from '../../apps/platform-server/src/database/database.ts'
import type { OrgId } from '../../apps/platform-server/src/database/org-id.ts'
import { grading, newName } from './drafts.testing.ts'
import { makeLive, type Scene } from './releases.testing.ts'

/** A ruleset that grants from some points on and is live in prod, and a save that grants from others on. */
export async function changedRuleset(scene: Scene, database: Database, from: number, to: number) {
  const name = newName()
  const save = async (points: number, expected_seq: number): Promise<number> => {
    const draft = grading(name, points)
    const ruleset = { ...draft, steps: draft.steps.map((step) => (step.id === 'yes' ? { ...step, output: [] } : step)) }
    const answer = await scene.owner.request('POST', `${scene.P}/rulesets/${name}`, { ruleset, expected_seq })
    if (answer.status >= 300) throw new Error(answer.text)
    return answer.body.seq
  }
  const first = await scene.release(scene.owner, name, await save(from, 0))
  await makeLive(database, scene.team.id, first.id)
  return { name, first, seq: await save(to, 1) }
}

/** Decisions of prod, a second apart, by a ruleset that grants from 10 points on. */
export async function recordDecisions(
  scene: Scene,
  database: Database,
  name: string,
  inputs: readonly object[],
  calls?: (index: number) => object[],
): Promise<void> {
  const { id: environment_id, project_id } = (await scene.owner.request('GET', `${scene.P}/environments/prod`)).body
  await database.change(scene.team.id as OrgId, SYSTEM, async ({ scope, audit }) => {
    const rows = inputs.map((input, index) => {
      const { points } = input as { readonly points: unknown }
      const code = points === '***' || Number(points) >= 10 ? 'GRANTED' : 'REFUSED'
      const decided = {
        at: new Date(Date.UTC(2026, 0, 1, 0, 0, index)),
        code,
        input: JSON.stringify(input),
        output: '{}',
        calls: calls === undefined ? null : JSON.stringify(calls(index)),
      }
      const place = { project_id, environment_id, ruleset_name: name, digest: '0'.repeat(64) }
      return { id: randomUUIDv7(), ...place, ...decided, server_id: randomUUIDv7(), session: 's', seq: index }
    })
    await scope.insert('recorded_decisions', rows).execute()
    await audit({ action: 'project.updated', object: { id: project_id, name: 'recorded by a test' } })
  })
}
