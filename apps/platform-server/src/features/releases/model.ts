import { type Static, Type } from 'typebox'
import { Id, orNull, RECORD, Time } from '../../http/record.ts'
import { Problem } from '../drafts/model.ts'
import { EVENT_TYPES } from '../webhooks/events.ts'

const literals = <const Values extends readonly string[]>(values: Values, description?: string) =>
  Type.Enum([...values] as Values[number][], description === undefined ? {} : { description })

export const RELEASE_STATUSES = [
  'pending_approval',
  'approved',
  'rejected',
  'cancelled',
  'executing',
  'paused',
  'completed',
  'failed',
  'rolling_back',
  'rolled_back',
  'rollback_failed',
] as const
export const ReleaseStatus = literals(RELEASE_STATUSES)

/** What people do with a release, beside making it. */
export const ALLOWED = [
  'approve',
  'reject',
  'cancel',
  'execute',
  'pause',
  'resume',
  'promote',
  'abort',
  'rollback',
] as const
export type Allowed = (typeof ALLOWED)[number]

const approvers = {
  min_count: Type.Integer({ minimum: 0, maximum: 100, description: 'distinct people' }),
  roles: Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
    maxItems: 50,
    description: 'names of roles or actions, of which a person needs one; empty: `release.approve`',
  }),
  exclude_authors: Type.Boolean({ description: 'who edited what is released does not count' }),
}
export const Approvers = Type.Object(approvers, { title: 'Approvers' })
export type Approvers = Static<typeof Approvers>

export const Requirement = Type.Object(
  {
    environment: orNull(Type.String({ description: 'null: because a contract breaks' })),
    policy_id: orNull(Id),
    ...approvers,
    approved_by: Type.Array(Type.String(), { description: 'ids of users whose approval counts now' }),
    satisfied: Type.Boolean(),
  },
  { title: 'ReleaseRequirement' },
)
export type ShownRequirement = Static<typeof Requirement>

const Review = Type.Object({
  user: Type.String({ description: 'id' }),
  decision: literals(['approved', 'rejected']),
  comment: Type.String(),
  at: Time('of the review'),
})

const Contract = Type.Object({
  breaking: Type.Boolean(),
  breaks: Type.Array(Type.Object({ path: Type.String(), message: Type.String() })),
  bump: literals(['major', 'minor', 'patch', 'none']),
})

/** What a release changes in one ruleset of one environment. */
export const Diff = Type.Object(
  {
    environment: Type.String(),
    ruleset: Type.String(),
    base: orNull(Type.Object({ version: Type.String(), digest: Type.String(), release_id: orNull(Id) })),
    removed: Type.Boolean({ description: 'it is taken out of the environment' }),
    steps_added: Type.Array(Type.String()),
    steps_removed: Type.Array(Type.String()),
    branches_changed: Type.Array(
      Type.Object({
        step_id: Type.String(),
        path: Type.String({ description: 'JSON pointer into the step; branches are named by their ids' }),
        before: Type.Unknown(),
        after: Type.Unknown(),
      }),
    ),
    contract: orNull(Contract),
  },
  { title: 'ReleaseDiff' },
)
export type Diff = Static<typeof Diff>

const Failure = Type.Object({ kind: Type.String(), message: Type.String() })
const CaseResult = Type.Object({
  suite: Type.String(),
  case_id: Type.String(),
  name: Type.String(),
  passed: Type.Boolean(),
  failures: Type.Array(Failure),
})
export const ReleaseTests = Type.Object(
  {
    total: Type.Integer(),
    passed: Type.Integer(),
    failed: Type.Integer(),
    rulesets: Type.Array(
      Type.Object({
        ruleset: Type.String(),
        total: Type.Integer(),
        passed: Type.Integer(),
        failed: Type.Integer(),
        results: Type.Array(CaseResult, { description: 'those that failed, 100 at most' }),
      }),
    ),
  },
  { title: 'ReleaseTests' },
)
export type ReleaseTests = Static<typeof ReleaseTests>

const Name = Type.String({ minLength: 1, maxLength: 1000 })
const Wanted = Type.Union([
  Type.Object({ name: Name, from_seq: Type.Integer({ minimum: 1, maximum: 2_147_483_647 }) }),
  Type.Object({ name: Name, remove: Type.Literal(true, { description: 'take it out of the environments' }) }),
])

export const ReleaseRequest = Type.Object(
  {
    rulesets: Type.Array(Wanted, { minItems: 1, maxItems: 100 }),
    environments: Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
      minItems: 1,
      maxItems: 50,
      description: 'names or ids; the release goes through them in their own order',
    }),
    title: Type.String({ minLength: 1, maxLength: 200 }),
    description: Type.Optional(Type.String({ maxLength: 10_000 })),
    acknowledge_breaking: Type.Optional(
      Type.Boolean({ description: 'it is known that a contract breaks; without it 409 `breaking_change`' }),
    ),
  },
  { title: 'ReleaseRequest' },
)
export type ReleaseRequest = Static<typeof ReleaseRequest>

export const Release = Type.Object(
  {
    ...RECORD,
    number: Type.Integer({ minimum: 1, description: 'counts the releases of the project' }),
    project_id: Id,
    kind: literals(['release', 'rollback']),
    status: ReleaseStatus,
    title: Type.String(),
    description: Type.String(),
    acknowledge_breaking: Type.Boolean(),
    environments: Type.Array(Type.String()),
    rulesets: Type.Array(
      Type.Object({
        name: Type.String(),
        from_seq: orNull(Type.Integer({ minimum: 1 })),
        version: orNull(Type.String()),
        digest: orNull(Type.String({ description: 'null: it is taken out' })),
      }),
    ),
    content_digest: Type.String({ description: 'SHA-256 over rulesets, sub-rules, contracts and suites' }),
    rollback_of: orNull(Id),
    requirements: Type.Array(Requirement),
    reviews: Type.Array(Review),
    authors: Type.Array(Type.String(), { description: 'ids of users' }),
    tests: orNull(ReleaseTests),
    execution_id: orNull(Id),
    allowed: Type.Array(literals(ALLOWED), { description: 'what the state permits and the caller may do' }),
  },
  { title: 'Release' },
)
export type Release = Static<typeof Release>

export const Preview = Type.Object(
  {
    would_create: Type.Boolean(),
    blocked: Type.Array(Problem, { description: 'each with the code of the 409 or 400 that it would be' }),
    diffs: Type.Array(Diff),
    requirements: Type.Array(Requirement),
    tests: orNull(ReleaseTests),
    content_digest: Type.String(),
  },
  { title: 'ReleasePreview' },
)
export type Preview = Static<typeof Preview>

const Comment = Type.String({ maxLength: 2000 })
export const ApproveRequest = Type.Object(
  {
    comment: Type.Optional(Comment),
    content_digest: Type.Optional(
      Type.String({ maxLength: 64, description: 'what was read; 409 `stale` where the release has another content' }),
    ),
  },
  { title: 'ApproveRequest' },
)
export const RejectRequest = Type.Object(
  { reason: Type.Optional(Comment), comment: Type.Optional(Comment) },
  { title: 'RejectRequest', description: 'one of both' },
)

export const ReleaseEvent = Type.Object(
  {
    id: Type.Integer({ minimum: 1, description: 'rises by one within a release' }),
    release_id: Id,
    execution_id: orNull(Id),
    type: literals(EVENT_TYPES),
    at: Time('of the event'),
    status: ReleaseStatus,
    environment: Type.Optional(Type.String()),
    server_id: Type.Optional(Id),
    actor: Type.Object({ type: literals(['user', 'key', 'server', 'system']), id: Type.String(), name: Type.String() }),
    data: Type.Record(Type.String(), Type.Unknown()),
  },
  { title: 'ReleaseEvent' },
)
export type ReleaseEvent = Static<typeof ReleaseEvent>
