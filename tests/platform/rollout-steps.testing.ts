import { randomUUIDv7 } from 'node:crypto'
import { ACTIONS } from '../../apps/platform-server/src/access/actions.ts'
import { SYSTEM } from '../../apps/platform-server/src/database/audit.ts'
import type { Change, Database } from '../../apps/platform-server/src/database/database.ts'
import { newOrgId, type OrgId } from '../../apps/platform-server/src/database/org-id.ts'
import { refreshServers } from '../../apps/platform-server/src/features/engines/desired-state.ts'
import {
  type CanarySettings,
  NO_CANARY,
  type Recording,
} from '../../apps/platform-server/src/features/projects/model.ts'
import { projectIn } from '../../apps/platform-server/src/features/projects/repository.ts'
import type { InProject } from '../../apps/platform-server/src/features/projects/project-scope.ts'
import { newEnvironment } from '../../apps/platform-server/src/features/projects/service.ts'
import { execute } from '../../apps/platform-server/src/features/rollouts/execute-release.ts'
import { takeStep } from '../../apps/platform-server/src/features/rollouts/execution-step.ts'
import { executionBy, releaseBy } from '../../apps/platform-server/src/features/rollouts/locked-rows.ts'
import type { Operating } from '../../apps/platform-server/src/features/rollouts/operations.ts'
import type { ExecutionRow } from '../../apps/platform-server/src/features/rollouts/rollout-state.ts'
import { Acting } from '../../apps/platform-server/src/resources/acting.ts'
import { digestOf } from './engines.testing.ts'
import { grading } from './drafts.testing.ts'

const HEARTBEAT_MS = 1000

/** The change of one ruleset by a release. Contents are numbers; null: no content. */
export interface TargetOf {
  readonly name?: string
  readonly base: number | null
  readonly content: number | null
}

/** An engine by its row: the test writes its reports. */
export interface ReportedEngine {
  readonly id: string
  readonly name: string
  /** Report that it has its desired rulesets. */
  take(): Promise<void>
  report(columns: Readonly<Record<string, unknown>>): Promise<void>
  /** Its last heartbeat stays where it is; without this, it has one before each step. */
  fallSilent(): void
  /** Names of its desired rulesets: `NAME` of a live content, `NAME.rN` of a candidate. */
  desired(): Promise<readonly string[]>
}

/** A project whose releases are executed step by step, by a clock that the test moves. */
export interface RolloutSteps {
  readonly org: OrgId
  readonly project: string
  readonly database: Database
  environment(name: string): string
  set(
    environment: string,
    columns: {
      canary?: Partial<CanarySettings>
      hold_before?: boolean
      allow_local_rulesets?: boolean
      recording?: Recording
    },
  ): Promise<void>
  /** Add an engine to an environment. */
  serve(environment: string, more?: { tenants?: boolean; canaryOnly?: boolean }): Promise<ReportedEngine>
  /** Have an earlier release make a content live. */
  makeLive(environment: string, content: number, name?: string): Promise<string>
  /** Store a release that is approved. */
  release(targets: readonly TargetOf[], ...environments: readonly string[]): Promise<string>
  /** Execute it; the id of the execution. */
  execute(release: string): Promise<string>
  /** `execute` of a release that is stored here. */
  start(targets: readonly TargetOf[], ...environments: readonly string[]): Promise<readonly [string, string]>
  /** One step of an execution at the present time of the clock. */
  step(execution: string): Promise<ExecutionRow>
  /** Steps until the execution waits or ends; engines report in between that they have all they should have. */
  run(execution: string): Promise<ExecutionRow>
  /** Milliseconds since 1970 of the clock. */
  readonly now: () => number
  pass(milliseconds: number): void
  /** Add counted answers of both sides to a stage. */
  count(execution: string, counts: Counts): Promise<void>
  /** Who operates releases: the owner. */
  operating(database?: Database): Operating
  change<Result>(work: (change: Change) => Promise<Result>): Promise<Result>
  /** All engines that have not fallen silent. */
  engines(): readonly ReportedEngine[]
  /** Types of the events of a release. */
  events(release: string): Promise<readonly string[]>
  /** Digests that should be live in an environment, as numbers of contents, by name; candidates with their names. */
  live(environment: string): Promise<Readonly<Record<string, number>>>
}

/** Requests and errors of a stage. */
interface Counts {
  readonly stage?: number
  readonly canary: readonly [requests: number, errors: number]
  readonly stable: readonly [requests: number, errors: number]
  /** Requests of both sides by result code, or by group of results. */
  readonly codes?: Readonly<Record<string, readonly [canary: number, stable: number]>>
}

const documentOf = (name: string, content: number) => grading(name, content)

/** A separate organization with a project that has the environments dev and prod. */
export async function newRolloutSteps(database: Database): Promise<RolloutSteps> {
  const [org, project] = [newOrgId(), randomUUIDv7()]
  const scope = () => database.scope(org)
  const rows = ['dev', 'prod'].map((name, position) => ({
    ...newEnvironment(project, name, position, 'system'),
    // Releases need no approval.
    requires_release: false,
  }))
  await database.note(org, async (change) => {
    await change.scope.insert('organizations', { name: org, parent_org_id: null, created_by: 'system' }).execute()
    const named = { id: project, name: project, current_environment: 'prod', created_by: 'system' }
    await change.scope.insert('projects', named).execute()
    await change.scope.insert('environments', rows).execute()
  })
  const environments = new Map(rows.map(({ name, id }) => [name, id]))
  const environmentId = (name: string) => environments.get(name) ?? ''
  const talking = new Map<string, ReportedEngine>()
  const numbers = new Map<string, number>()
  let clock = Date.now()
  let releases = 0
  let engines = 0

  const change = <Result>(work: (change: Change) => Promise<Result>): Promise<Result> =>
    database.change(org, SYSTEM, async (changing) => {
      await changing.lock()
      const result = await work(changing)
      await changing.audit({ action: 'release.updated', object: { id: project, name: 'by a test' } })
      return result
    })

  async function contentOf(name: string, content: number | null): Promise<string | null> {
    if (content === null) return null
    const document = documentOf(name, content)
    const digest = digestOf(document)
    numbers.set(digest, content)
    await database.unscoped.tables
      .insertInto('ruleset_contents')
      .values({ digest, content: JSON.stringify(document) })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    return digest
  }

  async function store(targets: readonly TargetOf[], names: readonly string[], status: 'approved' | 'completed') {
    const id = randomUUIDv7()
    const number = ++releases
    const made = await Promise.all(
      targets.map(async ({ name = 'fee', base, content }) => ({
        name,
        base_digest: await contentOf(name, base),
        digest: await contentOf(name, content),
      })),
    )
    await change(async ({ scope: within }) => {
      const released = { id, project_id: project, number, kind: 'release', status, title: 'a change' } as const
      const rest = { acknowledge_breaking: false, content_digest: '0'.repeat(64), rollback_of: null, authors: [] }
      await within
        .insert('releases', { ...released, ...rest, tests: null, execution_id: null, created_by: 'system' })
        .execute()
      const contents = made.map(({ name, digest }, position) => {
        const copied = { name, digest, version: digest === null ? null : '1.0.0' }
        return {
          release_id: id,
          position,
          from_seq: digest === null ? null : number,
          ruleset: null,
          contract: null,
          ...copied,
        }
      })
      await within.insert('release_contents', contents).execute()
      for (const [position, name] of names.entries()) {
        const environment_id = environmentId(name)
        await within.insert('release_environments', { release_id: id, environment_id, name, position }).execute()
        for (const { name: ruleset, base_digest, digest } of made)
          await within
            .insert('release_targets', {
              release_id: id,
              environment_id,
              name: ruleset,
              base_digest,
              base_version: base_digest === null ? null : '1.0.0',
              base_release_id: null,
              base_contract: null,
              digest,
              version: digest === null ? null : '1.0.0',
              contract: null,
              diff: JSON.stringify({
                environment: name,
                ruleset,
                steps_added: [],
                steps_removed: [],
                branches_changed: [],
              }),
              impact: null,
            })
            .execute()
      }
    })
    return id
  }

  const place = async (): Promise<InProject> => {
    const row = await projectIn(scope(), project)
    if (row === undefined) throw new Error('there is no project')
    const permissions = new Set(ACTIONS)
    const member = {
      org,
      scope: scope(),
      permissions,
      roles: new Set(['owner']),
      reachesAll: true,
      withheld: new Map(),
    }
    return { member, project: row }
  }
  const owner = { kind: 'user', id: randomUUIDv7(), email: '', displayName: 'Ann', sessionId: randomUUIDv7() } as const
  const author = { actor: { type: 'user', id: owner.id, name: 'Ann' }, ip: undefined, requestId: undefined } as const
  const its = await place()

  async function heartbeats(): Promise<void> {
    const ids = [...talking.keys()]
    if (ids.length === 0) return
    const { tables } = database.unscoped
    await tables
      .updateTable('servers')
      .set({ last_heartbeat: new Date(clock) })
      .where('id', 'in', ids)
      .execute()
  }

  const steps: RolloutSteps = {
    org,
    project,
    database,
    environment: environmentId,
    now: () => clock,
    pass(milliseconds) {
      clock += milliseconds
    },
    change,
    engines: () => [...talking.values()],
    operating: (other = database) => ({
      acting: new Acting({ database: other, place: its, caller: owner, author }),
      heartbeatIntervalSecs: HEARTBEAT_MS / 1000,
    }),
    async set(name, { canary, recording, ...columns }) {
      const settings = {
        ...(canary !== undefined && { canary: JSON.stringify({ ...NO_CANARY, ...canary }) }),
        ...(recording !== undefined && { recording: JSON.stringify(recording) }),
      }
      await change(({ scope: within }) =>
        within
          .update('environments')
          .set({ ...columns, ...settings })
          .where('id', '=', environmentId(name))
          .execute(),
      )
    },
    async serve(environment, { tenants = true, canaryOnly = false } = {}) {
      const id = randomUUIDv7()
      const name = `engine-${++engines}`
      await change(async (changing) => {
        const { scope: within } = changing
        const engine = { id, name, instance_id: id, version: '1.0.0', capabilities: [], tenants, created_by: 'system' }
        const { length } = await within
          .read('environment_servers')
          .selectFrom('environment_servers')
          .select('server_id')
          .where('environment_id', '=', environmentId(environment))
          .execute()
        await within
          .insert('servers', { ...engine, token_hash: Buffer.from(id), last_heartbeat: new Date(clock), healthy: true })
          .execute()
        const bound = { environment_id: environmentId(environment), server_id: id, position: length }
        await within.insert('environment_servers', { ...bound, canary_only: canaryOnly }).execute()
        await refreshServers(changing, [id])
      })
      const desired = () =>
        scope()
          .read('server_rulesets')
          .selectFrom('server_rulesets')
          .select(['tenant', 'name', 'digest'])
          .where('server_id', '=', id)
          .where('digest', 'is not', null)
          .orderBy('name')
          .execute()
      const report = async (columns: Readonly<Record<string, unknown>>) => {
        await database.unscoped.tables.updateTable('servers').set(columns).where('id', '=', id).execute()
      }
      const engine: ReportedEngine = {
        id,
        name,
        report,
        async take() {
          const held = (await desired()).map(({ tenant, ...one }) => (tenant === '' ? one : { tenant, ...one }))
          const { tables } = database.unscoped
          const { desired_revision: applied_revision } = await tables
            .selectFrom('servers')
            .select('desired_revision')
            .where('id', '=', id)
            .executeTakeFirstOrThrow()
          await report({ current_rulesets: JSON.stringify(held), applied_revision })
        },
        fallSilent: () => void talking.delete(id),
        desired: async () => (await desired()).map((one) => one.name),
      }
      talking.set(id, engine)
      return engine
    },
    async makeLive(environment, content, name = 'fee') {
      const release = await store([{ name, base: null, content }], [environment], 'completed')
      const digest = await contentOf(name, content)
      if (digest === null) throw new Error('there is no content')
      const live = { environment_id: environmentId(environment), name, version: '1.0.0', digest, release_id: release }
      await change(async ({ scope: within, ...rest }) => {
        const { digest: _digest, ...key } = live
        await within
          .insert('desired_rulesets', live)
          .onConflict((conflict) =>
            conflict.columns(['org_id', 'environment_id', 'name']).doUpdateSet({ digest, release_id: release }),
          )
          .execute()
        await within.insert('live_history', { ...key, digest, id: randomUUIDv7(), by: 'system' }).execute()
        await refreshServers({ scope: within, ...rest }, talking.keys())
      })
      return release
    },
    release: (targets, ...names) => store(targets, names, 'approved'),
    execute: async (release) => (await execute(steps.operating(), release, {})).id,
    async start(targets, ...names) {
      const release = await steps.release(targets, ...names)
      return [release, await steps.execute(release)]
    },
    async step(execution) {
      await heartbeats()
      const { fence } = await executionBy({ scope: scope() }, execution)
      const parts = { database, heartbeatMs: HEARTBEAT_MS, timeOf: async () => new Date(clock) }
      await takeStep(parts, { org_id: org, id: execution, fence })
      return executionBy({ scope: scope() }, execution)
    },
    async run(execution) {
      for (let count = 0; count < 40; count++) {
        const { next_run_at: due, stage } = await executionBy({ scope: scope() }, execution)
        if (due === null || stage !== null) break
        for (const engine of talking.values()) await engine.take()
        await steps.step(execution)
      }
      return executionBy({ scope: scope() }, execution)
    },
    async count(execution, { stage = 0, codes = {}, ...sides }) {
      const { environment_id } = await executionBy({ scope: scope() }, execution)
      const counted = (['canary', 'stable'] as const).flatMap((arm, side) => {
        const [requests, errors] = sides[arm]
        const at = { execution_id: execution, environment_id: environment_id ?? '', stage, arm, slow: 0 }
        const ofCodes = Object.entries(codes).map(([code, of]) => ({ ...at, code, requests: of[side] ?? 0, errors: 0 }))
        return [{ ...at, code: '', requests, errors }, ...ofCodes]
      })
      await database.note(org, ({ scope: within }) => within.insert('canary_counts', counted).execute())
    },
    async events(release) {
      const all = await scope()
        .read('release_events')
        .selectFrom('release_events')
        .select('type')
        .where('release_id', '=', release)
        .orderBy('seq')
        .execute()
      return all.map(({ type }) => type)
    },
    async live(environment) {
      const all = await scope()
        .read('desired_rulesets')
        .selectFrom('desired_rulesets')
        .select(['name', 'digest'])
        .where('environment_id', '=', environmentId(environment))
        .orderBy('name')
        .execute()
      return Object.fromEntries(all.map(({ name, digest }) => [name, numbers.get(digest) ?? NaN]))
    },
  }
  return steps
}

/** The stored state of a release. */
export const releaseOf = ({ database, org }: RolloutSteps, id: string) => releaseBy({ scope: database.scope(org) }, id)

/** The engines of an execution: their states, in the order of the environments' lists. */
export async function serversOf({ database, org }: RolloutSteps, execution: string) {
  return database
    .scope(org)
    .read('release_servers')
    .selectFrom('release_servers')
    .selectAll()
    .where('execution_id', '=', execution)
    .orderBy('environment_id')
    .orderBy('position')
    .execute()
}
