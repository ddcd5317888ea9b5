import { within } from '@engine/process'
import type { Database } from '../../database/database.ts'
import { createStaleCache } from '../../database/stale-cache.ts'
import type { OrgId } from '../../database/org-id.ts'
import type { Scope } from '../../database/scope.ts'
import { isCandidate } from '../engines/candidate-names.ts'
import { contentsOf } from '../engines/contents.ts'
import { deliveredNames } from '../engines/delivered-names.ts'
import { livenessOf, type ServerRow } from '../engines/liveness.ts'
import { type Claimant, claimantOf } from '../engines/identity.ts'
import { proxyToken } from '../engines/registration.ts'
import { projectIn, type ProjectRow } from '../projects/repository.ts'
import { projectTopic } from '../projects/service.ts'
import type { CanarySettings } from '../projects/model.ts'
import { activeShadows, type ActiveShadow } from '../shadows/active-shadows.ts'
import { type Split, splitsIn } from '../rollouts/canary-split.ts'
import { createKnownCalls, type KnownCalls, makesNoExternalCalls } from './external-calls.ts'

/** An engine from the perspective of the proxy. */
export interface Destination {
  readonly id: string
  readonly name: string
  /**
   * The address of the engine, and the identity that it must prove first; undefined if it has not reported an address.
   */
  readonly claimant: Claimant | undefined
  readonly tenants: boolean
  /** The token by which the engine accepts the proxy. */
  readonly token: string
  /** The current health of the engine. */
  isHealthy(): boolean
  /** True if the engine has reported a ruleset in an environment. */
  holds(environment: string, ruleset: string): boolean
}

/** An environment from the perspective of the proxy. */
export interface Destinations {
  readonly id: string
  readonly name: string
  readonly canary: CanarySettings
  /** The current stage of a release; undefined if no release is running. */
  readonly split: Split | undefined
  /** Shadow candidates, by their rulesets. */
  readonly shadows: ReadonlyMap<string, ActiveShadow>
  /** Engines with the live content, primary first. */
  readonly engines: readonly Destination[]
  /** Engines reserved for candidates; if empty, candidates run on the others. */
  readonly canaries: readonly Destination[]
  /** Names of live rulesets. */
  readonly live: ReadonlySet<string>
  /**
   * Names that an environment owns on an engine: rulesets stored directly on the engine are accessible except under
   * these names. Undefined: only live rulesets are accessible.
   */
  readonly owned: ReadonlySet<string> | undefined
  /** The release that delivered each content; null if it was published without one. */
  readonly releases: ReadonlyMap<string, string | null>
  /** True if a live ruleset or a candidate is known to make no external calls, so that it may be executed twice. */
  isRepeatable(ruleset: string): boolean
}

export interface DestinationParts {
  readonly database: Database
  /** The key of the platform. */
  readonly key: Buffer
  readonly heartbeatIntervalSecs: number
}

/** A project from the perspective of the proxy. */
export interface ProxiedProject {
  readonly project: ProjectRow
  readonly environments: readonly Destinations[]
}

/** Finds a project of an organization and the destinations of its requests; undefined if the project does not exist. */
export type FindDestinations = (org: OrgId, project: string) => Promise<ProxiedProject | undefined>

/** How long destinations are fresh. Changes of bindings are detected immediately, those of engines after this time. */
const MAX_AGE_MS = 2000
/** Maximum number of cached projects, and their maximum total size in bytes. */
const [MAX_PROJECTS, MAX_PROJECTS_BYTES] = [1000, 64 * 1024 * 1024] as const

/** Cached projects and destinations, so that a decision needs no query for them. */
export interface KnownDestinations {
  readonly find: FindDestinations
  /** True if decisions continue while the database does not answer. */
  areUsable(): boolean
  close(): void
}

/**
 * @param keptMs how long results are used while the database does not answer, in milliseconds
 * @param servedStale called for each stale result
 */
export function createDestinations(
  parts: DestinationParts,
  keptMs: number,
  servedStale: () => void,
): KnownDestinations {
  const calls = createKnownCalls((digests) => contentsOf(parts.database, digests))
  const known = createStaleCache<{ readonly org: OrgId; readonly id: string }, ReadProject>({
    read: ({ org, id }) => read(parts, calls, parts.database.decisions.scope(org), id),
    keyOf: ({ org, id }) => `${org}/${id}`.toLowerCase(),
    topicOfRead: ({ id }) => projectTopic(id.toLowerCase()),
    topicsOf: ({ project }) => [projectTopic(project.id)],
    // A release triggers an update at each of its stages: the engines keep their last state.
    servesChanged: true,
    servedStale,
    bytesOf: ({ bytes }) => bytes,
    wakes: parts.database.wakes,
    freshMs: MAX_AGE_MS,
    keptMs,
    maxEntries: MAX_PROJECTS,
    maxBytes: MAX_PROJECTS_BYTES,
    now: () => performance.now(),
  })
  return {
    find: (org, id) => known.read({ org, id }),
    areUsable: () => performance.now() - known.lastReadAt < keptMs,
    close: () => known.close(),
  }
}

/** A project with its approximate size in bytes. */
interface ReadProject extends ProxiedProject {
  readonly bytes: number
}

async function read(
  parts: DestinationParts,
  calls: KnownCalls,
  scope: Scope,
  id: string,
): Promise<ReadProject | undefined> {
  const project = await projectIn(scope, id)
  if (project === undefined) return undefined
  const environments = await scope
    .read('environments')
    .selectFrom('environments')
    .select(['id', 'name', 'canary', 'allow_local_rulesets'])
    .where('project_id', '=', project.id)
    .execute()
  const engines = await scope
    .read('environments', 'environment_servers', 'servers')
    .selectFrom('environments as e')
    .innerJoin('environment_servers as b', 'b.environment_id', 'e.id')
    .innerJoin('servers as s', 's.id', 'b.server_id')
    .select(['s.id', 's.name', 's.url', 's.tenants', 's.generation', 's.current_rulesets'])
    .select(['s.org_id', 's.peer_address', 's.updated_at'])
    .select(['s.last_heartbeat', 's.held_until', 's.healthy'])
    .select(['e.id as environment_id', 'b.canary_only'])
    .where('e.project_id', '=', project.id)
    .orderBy('b.position')
    .execute()
  const rulesets = await scope
    .read('environments', 'desired_rulesets', 'release_targets')
    .selectFrom('environments as e')
    .innerJoin('desired_rulesets as d', 'd.environment_id', 'e.id')
    // The previous live content answers until an engine has applied the desired one.
    .leftJoin('release_targets as t', (join) =>
      join
        .onRef('t.release_id', '=', 'd.release_id')
        .onRef('t.environment_id', '=', 'd.environment_id')
        .onRef('t.name', '=', 'd.name'),
    )
    .select(['e.id as environment_id', 'd.name', 'd.digest', 'd.release_id'])
    .select(['t.base_digest', 't.base_release_id'])
    .where('e.project_id', '=', project.id)
    .execute()
  const splits = await splitsIn(scope, project.id)
  const shadows = await activeShadows(scope, project.id)
  const owned = await ownedNames(parts, environments, engines)
  // Otherwise the calls of a new content would be unknown and its first requests could not be repeated.
  await within(CONTENTS_TIMEOUT_MS, calls.learn(rulesets.flatMap(contentsOfRow)))
  const readAt = Date.now()
  const found = environments.map((environment): Destinations => {
    const { id: environmentId, name, canary } = environment
    const own = rulesets.filter((row) => row.environment_id === environmentId)
    const contents = new Map(own.map((row) => [row.name, contentsOfRow(row)]))
    const serving = (canaryOnly: boolean) =>
      engines
        .filter((row) => row.environment_id === environmentId && row.canary_only === canaryOnly)
        .map((row) => destinationOf(parts, row, readAt))
    return {
      id: environmentId,
      name,
      canary,
      split: splits.get(environmentId),
      shadows: new Map(shadows.filter((one) => one.environment === environmentId).map((one) => [one.ruleset, one])),
      engines: serving(false),
      canaries: serving(true),
      live: new Set(own.map((row) => row.name).filter((ruleset) => !isCandidate(ruleset))),
      owned: owned.get(environmentId),
      releases: new Map([
        ...own.flatMap((row) => (row.base_digest === null ? [] : [[row.base_digest, row.base_release_id] as const])),
        ...own.map((row) => [row.digest, row.release_id] as const),
      ]),
      isRepeatable: (ruleset) => makesNoExternalCalls(calls, contents, ruleset),
    }
  })
  return { project, environments: found, bytes: sizeOf(environments, engines, rulesets) }
}

/** Longest wait of requests for reading new contents. */
const CONTENTS_TIMEOUT_MS = 100

/** Approximate size of one row without the rulesets that an engine reports. */
const ROW_BYTES = 500

function sizeOf(
  environments: readonly unknown[],
  engines: readonly Pick<EngineRow, 'current_rulesets'>[],
  rulesets: readonly unknown[],
): number {
  const held = engines.reduce((sum, row) => sum + row.current_rulesets.length, 0)
  return ROW_BYTES * (1 + environments.length + engines.length + rulesets.length + held)
}

/** The environments in which rulesets stored directly on an engine are accessible. No query if there are none. */
async function ownedNames(
  { database }: DestinationParts,
  environments: readonly { readonly id: string; readonly allow_local_rulesets: boolean }[],
  engines: readonly { readonly id: string; readonly environment_id: string; readonly tenants: boolean }[],
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const owned = new Map<string, ReadonlySet<string>>()
  for (const { id } of environments.filter((one) => one.allow_local_rulesets)) {
    // An environment with a separate tenant shares no names with another.
    const shared = engines.filter((row) => row.environment_id === id && !row.tenants)
    owned.set(
      id,
      await deliveredNames(
        database.decisions.tables,
        shared.map((row) => row.id),
      ),
    )
  }
  return owned
}

/** The contents that engines may have under a name: the desired one and its predecessor. */
const contentsOfRow = (row: { readonly digest: string; readonly base_digest: string | null }): readonly string[] =>
  row.base_digest === null ? [row.digest] : [row.digest, row.base_digest]

/**
 * True if callers in an environment can access a ruleset by name: it is live there, or stored directly on an engine
 * where that is permitted.
 */
export const isReachable = ({ live, owned }: Pick<Destinations, 'live' | 'owned'>, ruleset: string): boolean =>
  live.has(ruleset) || (owned !== undefined && !owned.has(ruleset))

type EngineRow = Parameters<typeof livenessOf>[0] &
  Parameters<typeof claimantOf>[0] &
  Pick<ServerRow, 'tenants' | 'current_rulesets'>

/** @param readAt time when the row was read, in milliseconds since 1970 */
function destinationOf({ key, heartbeatIntervalSecs }: DestinationParts, row: EngineRow, readAt: number): Destination {
  const { id, name, tenants, generation } = row
  return {
    id,
    name,
    claimant: claimantOf(row),
    tenants,
    token: proxyToken(key, id, generation),
    // The row is stale because the database is unavailable, and no engine can report its health there.
    isHealthy: () => livenessOf(row, heartbeatIntervalSecs * 1000, Math.min(Date.now(), readAt + MAX_AGE_MS)).healthy,
    holds: (environment, ruleset) =>
      // Validated as `HeldRuleset` when the engine reported them.
      row.current_rulesets.some(
        (held) => held.name === ruleset && (held.tenant ?? null) === (tenants ? environment : null),
      ),
  }
}
