import { describe, expect, test } from 'vitest'
import { ROLE_ACTIONS } from '../../access/actions.ts'
import type { ReleaseStatus } from '../../database/tables.ts'
import { type Holder, meet, type Requirement, stricter } from './approvals.ts'
import { isFinal, isRefused, type Operation, transition } from './states.ts'

/**
 * All interleavings of the moves of people, the job and crashes on a release, on the platform's own table of states and
 * counting of approvals. An oracle that knows neither lists the cleared contents.
 */

/** Moves in sequence: enough for editing, creating, approving, executing, delivering, rolling back. */
const DEPTH = 8

const PEOPLE = ['author', 'first', 'second'] as const
type Name = (typeof PEOPLE)[number]

interface Approval {
  readonly by: Name
  /** That the person has read. */
  readonly content: number
}

/** A release with its copy. */
interface Release {
  readonly content: number
  readonly status: ReleaseStatus
  readonly approvals: readonly Approval[]
  /** Approvals that the policy required at its creation. */
  readonly stored: number
  /** The live content at its creation. */
  readonly base: number
}

/** State of an execution as a replica has read it. */
interface Claim {
  readonly fence: number
  readonly content: number
}

interface World {
  readonly draft: number
  /** Approvals that the policy requires now. */
  readonly policy: number
  /** Who may approve now. */
  readonly admins: readonly Name[]
  readonly release: Release | undefined
  readonly fence: number
  readonly claims: readonly [Claim | undefined, Claim | undefined]
  /** On the engine. */
  readonly live: number
  /** Contents that the oracle has seen cleared; 0 was live before. */
  readonly cleared: readonly number[]
}

const BEGIN: World = {
  draft: 1,
  policy: 1,
  admins: PEOPLE,
  release: undefined,
  fence: 0,
  claims: [undefined, undefined],
  live: 0,
  cleared: [0],
}

/** Parts of the platform whose absence the check must detect. */
interface Rules {
  readonly stands: (world: World, release: Release) => boolean
  readonly isFenced: boolean
  /** Later edits do not change the released content. */
  readonly isCopied: boolean
}

const ADMIN: Holder = { roles: new Set(['admin']), actions: new Set(ROLE_ACTIONS.admin) }
const asked = (min_count: number): Requirement => ({
  environment_id: 'prod',
  policy_id: 'p',
  min_count,
  roles: [],
  exclude_authors: true,
})

function metBy(admins: readonly Name[], wanted: readonly Requirement[], { approvals }: Release): boolean {
  const holders = new Map<string, Holder>(admins.map((name) => [name, ADMIN]))
  const approval = { approvers: approvals.map(({ by }) => by), authors: new Set(['author']), holders }
  return meet(wanted, approval).every(({ satisfied }) => satisfied)
}

const PLATFORM: Rules = {
  stands: ({ admins, policy }, release) => metBy(admins, stricter([asked(release.stored)], [asked(policy)]), release),
  isFenced: true,
  isCopied: true,
}

/** By the contract: distinct people who may approve now and did not write it, for the larger of both numbers. */
function isCleared({ admins, policy }: World, { approvals, stored, content }: Release): boolean {
  const counting = PEOPLE.filter(
    (name) =>
      name !== 'author' &&
      admins.includes(name) &&
      approvals.some((approval) => approval.by === name && approval.content === content),
  )
  return counting.length >= Math.max(stored, policy)
}

type Move = (world: World) => World | undefined

/** Take the release through the table; undefined: the operation is refused. */
function moved(world: World, operation: Operation, conditions = {}, change: Partial<Release> = {}): World | undefined {
  const { release } = world
  if (release === undefined) return undefined
  const outcome = transition(release.status, operation, conditions)
  return isRefused(outcome) ? undefined : { ...world, release: { ...release, ...change, status: outcome.to } }
}

const ascending = (numbers: Iterable<number>) => [...numbers].toSorted((left, right) => left - right)

const isDriven = (status: ReleaseStatus) => status === 'executing' || status === 'rolling_back'
const isAtRest = (status: ReleaseStatus) => isFinal(status) || status === 'completed'

function movesUnder(rules: Rules): Readonly<Record<string, Move>> {
  return {
    edit: (world) => edited(rules, world),
    create: (world) => created(rules, world),
    'the author approves': (world) => approved(rules, world, 'author'),
    'the first approves': (world) => approved(rules, world, 'first'),
    'the second approves': (world) => approved(rules, world, 'second'),
    reject: (world) => moved(world, 'reject'),
    cancel: (world) => moved(world, 'cancel'),
    execute: (world) => executed(rules, world),
    pause: (world) => moved(world, 'pause'),
    resume: (world) => moved(world, 'resume'),
    rollback: (world) => moved(world, 'rollback', { newest: true, has_baseline: true }),
    'the first loses the role': (world) => withAdmins(world, ['author', 'second']),
    'the first gets the role back': (world) => withAdmins(world, PEOPLE),
    'the policy asks for two': (world) => (world.policy === 2 ? undefined : { ...world, policy: 2 }),
    'the policy asks for one': (world) => (world.policy === 1 ? undefined : { ...world, policy: 1 }),
    'one replica claims': (world) => claimed(world, 0),
    'another replica claims': (world) => claimed(world, 1),
    'one replica stores': (world) => settled(rules, world, 0),
    'another replica stores': (world) => settled(rules, world, 1),
    'one replica is killed': (world) => (world.claims[0] === undefined ? undefined : withClaim(world, 0, undefined)),
    'a healthy engine fails': (world) => moved(world, 'fail'),
    'an engine fails in a rollback': (world) => moved(world, 'end_rollback', { ended_well: false }),
  }
}

function edited({ isCopied }: Rules, world: World): World | undefined {
  const { draft, release } = world
  if (draft >= 2) return undefined
  const touched = isCopied || release === undefined ? release : { ...release, content: draft + 1 }
  return { ...world, draft: draft + 1, release: touched }
}

function created(rules: Rules, world: World): World | undefined {
  if (world.release !== undefined && !isAtRest(world.release.status)) return undefined
  const { draft: content, policy, live: base } = world
  const release: Release = { content, status: 'pending_approval', approvals: [], stored: policy, base }
  const outcome = transition('none', 'create', { approvals_stand: rules.stands(world, release) })
  return isRefused(outcome) ? undefined : { ...world, release: { ...release, status: outcome.to } }
}

function approved(rules: Rules, world: World, by: Name): World | undefined {
  const { release, admins } = world
  if (release === undefined || !admins.includes(by) || release.approvals.some((one) => one.by === by)) return undefined
  const approvals = [...release.approvals, { by, content: release.content }].toSorted((left, right) =>
    left.by < right.by ? -1 : 1,
  )
  return moved(world, 'approve', { approvals_stand: rules.stands(world, { ...release, approvals }) }, { approvals })
}

function executed(rules: Rules, world: World): World | undefined {
  const { release, live } = world
  if (release === undefined) return undefined
  const after = moved(world, 'execute', {
    approvals_stand: rules.stands(world, release),
    unfrozen: true,
    idle: true,
    base_is_live: live === release.base || live === release.content,
  })
  if (after?.release?.status !== 'executing') return after
  const cleared = isCleared(world, release) ? [...world.cleared, release.content] : world.cleared
  return { ...after, cleared: ascending(new Set(cleared)), fence: world.fence + 1 }
}

function withAdmins(world: World, admins: readonly Name[]): World | undefined {
  return world.admins.length === admins.length ? undefined : { ...world, admins }
}

const withClaim = (world: World, replica: 0 | 1, one: Claim | undefined): World => ({
  ...world,
  claims: replica === 0 ? [one, world.claims[1]] : [world.claims[0], one],
})

/** The content that an execution wants on the engine. */
const wantedBy = ({ status, content, base }: Release) => (status === 'executing' ? content : base)

/** A replica does not notice that its lease has expired: it keeps the state that it has read. */
function claimed(world: World, replica: 0 | 1): World | undefined {
  const { release } = world
  if (release === undefined || !isDriven(release.status)) return undefined
  const fence = world.fence + 1
  return withClaim({ ...world, fence }, replica, { fence, content: wantedBy(release) })
}

/** The result of a claim is stored under the fence, together with the state, in one transaction. */
function settled({ isFenced }: Rules, world: World, replica: 0 | 1): World | undefined {
  const held = world.claims[replica]
  if (held === undefined) return undefined
  const dropped = withClaim(world, replica, undefined)
  if (!isFenced) return { ...(ended(dropped) ?? dropped), live: held.content }
  const { release, fence } = world
  if (release === undefined || held.fence !== fence || !isDriven(release.status)) return dropped
  if (wantedBy(release) !== held.content) return dropped
  return { ...(ended(dropped) ?? dropped), live: held.content }
}

const ended = (world: World) =>
  moved(world, world.release?.status === 'rolling_back' ? 'end_rollback' : 'complete', { ended_well: true })

interface Visit {
  readonly world: World
  readonly path: readonly string[]
}

/** Every world within this number of moves, each by a shortest path. */
function explore(rules: Rules, depth: number): readonly Visit[] {
  const seen = new Map<string, Visit>([[JSON.stringify(BEGIN), { world: BEGIN, path: [] }]])
  const moves = Object.entries(movesUnder(rules))
  let edge: readonly Visit[] = [...seen.values()]
  for (let taken = 0; taken < depth; taken++) {
    const next: Visit[] = []
    for (const { world, path } of edge)
      for (const [name, move] of moves) {
        const after = move(world)
        const key = after && JSON.stringify(after)
        if (after === undefined || key === undefined || seen.has(key)) continue
        const visit = { world: after, path: [...path, name] }
        seen.set(key, visit)
        next.push(visit)
      }
    edge = next
  }
  return [...seen.values()]
}

/** Paths to engines with a content that was not cleared. */
const unclearedIn = (visits: readonly Visit[]) =>
  visits.filter(({ world }) => !world.cleared.includes(world.live)).map(({ path }) => path.join(', '))

/** Paths to an end after which the live content differs from the release's state. */
const untrueIn = (visits: readonly Visit[]) =>
  visits
    .filter(({ world: { release, live } }) => {
      if (release?.status === 'completed') return live !== release.content
      return release?.status === 'rolled_back' && live !== release.base
    })
    .map(({ path }) => path.join(', '))

describe(`all interleavings of ${DEPTH} moves`, () => {
  const visits = explore(PLATFORM, DEPTH)

  test('reach every state that the moves can lead to, and make both contents live', () => {
    expect(visits.length).toBeGreaterThan(4000)
    expect(ascending(new Set(visits.map(({ world }) => world.live)))).toEqual([0, 1, 2])
    const states = new Set(visits.map(({ world }) => world.release?.status))
    expect([...states].filter((status) => status !== undefined).toSorted()).toEqual([
      'approved',
      'cancelled',
      'completed',
      'executing',
      'failed',
      'paused',
      'pending_approval',
      'rejected',
      'rollback_failed',
      'rolled_back',
      'rolling_back',
    ])
  })

  test('bring no content to an engine without the approvals that its policy requires', () => {
    expect(unclearedIn(visits)).toEqual([])
  })

  test('leave the live content as the state describes it', () => {
    expect(untrueIn(visits)).toEqual([])
  })

  test('leave no state stuck: the job finishes its executions after every crash, and people finish the rest', () => {
    const moves = movesUnder(PLATFORM)
    const stuck = visits.filter(({ world }) => !canEnd(moves, world))
    expect(stuck.map(({ path }) => path.join(', '))).toEqual([])
  })
})

function canEnd(moves: Readonly<Record<string, Move>>, world: World): boolean {
  const { release } = world
  if (release === undefined || isAtRest(release.status)) return true
  const steps = isDriven(release.status)
    ? [['one replica claims', 'one replica stores']]
    : ['cancel', 'rollback', 'resume'].map((name) => [name, 'one replica claims', 'one replica stores'])
  return steps.some((names) => {
    let at: World | undefined = world
    for (const name of names)
      at = at?.release !== undefined && isAtRest(at.release.status) ? at : at && moves[name]?.(at)
    return at?.release !== undefined && isAtRest(at.release.status)
  })
}

describe('the check notices when the platform', () => {
  const cases: readonly (readonly [string, Partial<Rules>])[] = [
    [
      'counts approvals of people who lost the role',
      { stands: ({ policy }, release) => metBy(PEOPLE, stricter([asked(release.stored)], [asked(policy)]), release) },
    ],
    ['forgets the policy of now', { stands: ({ admins }, release) => metBy(admins, [asked(release.stored)], release) }],
    [
      'forgets the policy of then',
      { stands: ({ admins, policy }, release) => metBy(admins, [asked(policy)], release) },
    ],
    ['lets edits into approved content', { isCopied: false }],
  ]
  test.each(cases)('%s', (_title, rules) => {
    expect(unclearedIn(explore({ ...PLATFORM, ...rules }, 7))).not.toEqual([])
  })

  test('lets a replica store an outdated read', () => {
    expect(untrueIn(explore({ ...PLATFORM, isFenced: false }, DEPTH))).not.toEqual([])
  })
})
