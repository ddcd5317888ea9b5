import { type Value } from '@engine/expression'
import { type Static, Type } from 'typebox'
import { ImpactResult } from '@engine/api'
import { CommentPlace, CommentText } from '../../resources/comment-fields.ts'
import { BASE, CHANGE, Records, REPORT } from '../../resources/analysis.ts'
import { Id, orNull, RECORD, Time } from '../../resources/resource-fields.ts'
import { Problem } from '../../resources/draft-problem.ts'
import { TestRun } from '../test-suites/model.ts'
import { APPROVERS } from '../release-policies/model.ts'
import { EVENT_TYPES } from '../webhooks/events.ts'

const literals = <const Values extends readonly string[]>(values: Values, description?: string) =>
  Type.Enum([...values] as Values[number][], description === undefined ? {} : { description })

/** The states of a release; `states.ts` has their transitions. */
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

/** A state of a release, as a filter and a member. */
const ReleaseStatus = literals(RELEASE_STATUSES)

/** Operations on a release after its creation. */
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

/** The name of an operation that may be offered to the caller. */
export type Allowed = (typeof ALLOWED)[number]

const Requirement = Type.Object(
  {
    environment: orNull(Type.String({ description: 'null: because a contract breaks' })),
    policy_id: orNull(Id),
    ...APPROVERS,
    approved_by: Type.Array(Type.String(), { description: 'ids of users whose approval counts now' }),
    satisfied: Type.Boolean(),
  },
  { title: 'ReleaseRequirement' },
)

const Review = Type.Object({
  user: Type.String({ description: 'id' }),
  decision: literals(['approved', 'rejected']),
  comment: Type.String(),
  at: Time('of the review'),
})

const AnyValue = Type.Unsafe<Value>({})

const ContractChange = Type.Object({
  breaking: Type.Boolean(),
  breaks: Type.Array(Type.Object({ path: Type.String(), message: Type.String() })),
  bump: literals(['major', 'minor', 'patch', 'none']),
})

const change = {
  path: Type.String(),
  before: Type.Optional(AnyValue),
  after: Type.Optional(AnyValue),
}
const BranchChange = Type.Object({
  step: Type.String({ description: 'id of the step' }),
  kind: literals(['branch', 'row', 'default']),
  id: Type.String({ description: 'of the branch or row; empty for the default' }),
  change: literals(['added', 'removed', 'changed', 'moved']),
  changes: Type.Array(Type.Object(change), { description: 'pointers into the branch or row' }),
})
const graphs = {
  config: Type.Array(Type.Object(change), { description: 'all that is neither a step nor a sub-rule' }),
  steps_added: Type.Array(Type.String()),
  steps_removed: Type.Array(Type.String()),
  steps_changed: Type.Array(Type.Object({ id: Type.String(), ...change }), { description: 'without their branches' }),
  branches_changed: Type.Array(BranchChange),
}

/** The change of one ruleset in one environment. */
export const Diff = Type.Object(
  {
    environment: Type.String(),
    ruleset: Type.String(),
    base: orNull(
      Type.Object(
        { version: Type.String(), digest: Type.String(), release_id: orNull(Id) },
        { description: 'the live version; null: none' },
      ),
    ),
    removed: Type.Boolean({ description: 'the ruleset is taken out of the environment' }),
    ...graphs,
    sub_rules: Type.Array(
      Type.Object({ name: Type.String(), change: literals(['added', 'removed', 'changed']), ...graphs }),
    ),
    contract: orNull(ContractChange),
  },
  { title: 'ReleaseDiff' },
)
export type Diff = Static<typeof Diff>

const Name = Type.String({ minLength: 1, maxLength: 1000 })
/** Exactly one of `from_seq` and `remove` is set; the lookup of the rulesets enforces this. */
const Wanted = Type.Object({
  name: Name,
  from_seq: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: 'the save; without it `remove` is true' }),
  ),
  remove: Type.Optional(Type.Boolean({ description: 'true, without `from_seq`: take it out of the environments' })),
})

/** A release to create, or to preview. */
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
  {
    title: 'ReleaseRequest',
    examples: [
      { rulesets: [{ name: 'adult-check', from_seq: 3 }], environments: ['staging', 'prod'], title: 'Lower age limit' },
    ],
  },
)
export type ReleaseRequest = Static<typeof ReleaseRequest>

/** A release with its requirements, its reviews, and the operations open to the caller. */
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
    content_digest: Type.String({
      description: 'SHA-256 over rulesets, sub-rules, contracts with their concepts and facts, and suites',
    }),
    rollback_of: orNull(Id),
    requirements: Type.Array(Requirement),
    reviews: Type.Array(Review),
    authors: Type.Array(Type.String(), { description: 'ids of users' }),
    tests: orNull(TestRun),
    execution_id: orNull(Id),
    allowed: Type.Array(literals(ALLOWED), {
      description: 'operations that the state permits and the caller may perform',
    }),
  },
  { title: 'Release' },
)
export type Release = Static<typeof Release>

/** The changes of a release by environment and ruleset. */
export const Diffs = Type.Object(
  { content_digest: Type.String(), diffs: Type.Array(Diff) },
  { title: 'ReleaseDiffs', description: 'compared with the live content when the release was created' },
)

/** The number of recorded decisions of a ruleset in an environment that its contract would refuse. */
const Refused = Type.Object(
  {
    ruleset: Type.String(),
    environment: Type.String(),
    mode: literals(['warn', 'enforce'], 'of the contract in the release; with `warn` engines still decide'),
    recorded: Type.Integer({ minimum: 1, description: 'latest recorded decisions that were checked, at most 1,000' }),
    refused: Type.Integer({ minimum: 0, description: 'of them, those whose input breaks the contract' }),
    examples: Type.Array(
      Type.Object({
        id: Id,
        at: Time('of the decision'),
        violations: Type.Array(Type.Object({ path: Type.String(), code: Type.String(), expected: Type.String() }), {
          description: 'without values of the input',
        }),
      }),
    ),
  },
  { title: 'RefusedDecisions' },
)
export type Refused = Static<typeof Refused>

const Share = Type.Object({
  percent: Type.Number(),
  missing: Type.Array(Type.String(), { description: 'the first parts that no case covers' }),
})

const Analysis = Type.Object(
  {
    ruleset: Type.String(),
    ...REPORT,
    coverage: orNull(
      Type.Object(
        { branches: Share, conditions: Share, boundaries: Share, mutants: Share },
        { description: 'of its cases; null: no policy requires a coverage, or it could not be measured' },
      ),
    ),
  },
  { title: 'RulesetAnalysis' },
)

const Impact = Type.Object(
  {
    environment: Type.String(),
    ruleset: Type.String(),
    base: BASE,
    ...CHANGE,
    records: Records,
    gates: ImpactResult.properties.gates,
  },
  { title: 'ReleaseTargetImpact' },
)

const BEHAVIOR = {
  analyses: Type.Array(Analysis, { description: 'the mistakes of each released ruleset' }),
  impacts: Type.Array(Impact, { description: 'what changes where a released ruleset replaces another content' }),
}

/** The analyses of a release at its creation. */
export const ReleaseImpact = Type.Object(
  { content_digest: Type.String(), ...BEHAVIOR },
  { title: 'ReleaseImpact', description: 'empty lists of a rollback, or of a release from before there were analyses' },
)

/** A release that was computed but not stored, with all its blockers. */
export const Preview = Type.Object(
  {
    would_create: Type.Boolean(),
    blocked: Type.Array(Problem, {
      description:
        'each with the code of the 409 or 400 that it would be; those of severity `warning` block nothing: `no_latency_guard`, and `approvals_impossible` where too few members could approve',
    }),
    diffs: Type.Array(Diff),
    requirements: Type.Array(Requirement),
    tests: orNull(TestRun),
    ...BEHAVIOR,
    refused: Type.Array(Refused, {
      description: 'recorded decisions of rulesets that carry a contract, at most 10,000 in all',
    }),
    content_digest: Type.String(),
  },
  { title: 'ReleasePreview' },
)
export type Preview = Static<typeof Preview>

const ReviewComment = Type.String({ maxLength: 2000 })

/** Approves the named content, so that a review cannot apply to another one. */
export const ApproveRequest = Type.Object(
  {
    comment: Type.Optional(ReviewComment),
    content_digest: Type.Optional(
      Type.String({
        maxLength: 64,
        description: 'digest of the reviewed content; 409 `stale` if the release has another one',
      }),
    ),
  },
  { title: 'ApproveRequest', examples: [{ comment: 'as agreed' }] },
)

/** Rejects a release; one of the two members gives the reason. */
export const RejectRequest = Type.Object(
  { reason: Type.Optional(ReviewComment), comment: Type.Optional(ReviewComment) },
  { title: 'RejectRequest', examples: [{ reason: 'the limit must stay' }], description: 'one of both' },
)

/** A comment of a member on a release, or at a place of one of its rulesets. */
export const Comment = Type.Object(
  {
    id: Id,
    ruleset: orNull(Type.String({ description: 'name; null: the whole release' })),
    place: Type.String({
      description: 'JSON pointer into the released ruleset, whose list items are named by their ids; empty: all of it',
    }),
    text: Type.String(),
    settled: Type.Boolean({ description: 'whether nothing remains to be done about it' }),
    created_at: Time('of the comment'),
    created_by: Type.String({ description: 'id of the user' }),
    updated_at: Time('of the last change'),
    updated_by: Type.String({ description: 'id of the user' }),
  },
  { title: 'ReleaseComment' },
)
export type Comment = Static<typeof Comment>

/** A new comment. */
export const CommentRequest = Type.Object(
  {
    ruleset: Type.Optional(
      Type.String({ maxLength: 1000, description: 'name of a ruleset of the release; default: the whole release' }),
    ),
    place: Type.Optional(
      CommentPlace(
        'JSON pointer into `ruleset` such as `/steps/prices/rows/r2/cells/country`; default: the whole ruleset',
      ),
    ),
    text: CommentText,
  },
  { title: 'ReleaseCommentRequest', examples: [{ ruleset: 'adult-check', place: '/steps/age', text: 'Why 18?' }] },
)
export type CommentRequest = Static<typeof CommentRequest>

/** Resolves a comment, or reopens it. Its text stays: it is in the history of the release. */
export const CommentChange = Type.Object(
  { settled: Type.Boolean() },
  { title: 'ReleaseCommentChange', examples: [{ settled: true }] },
)

/** An empty object: cancelling has no settings. */
export const CancelRequest = Type.Object({}, { title: 'CancelRequest', examples: [{}] })

/** An event of a release, as in its history, its event stream and webhooks. */
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

const Document = (description: string) => orNull(Type.Object({}, { additionalProperties: true, description }))

/** An entry in the release history of a ruleset in an environment. */
export const HistoryEntry = Type.Object(
  {
    id: Id,
    release_id: Id,
    number: Type.Integer({ description: 'of the release' }),
    environment: Type.String(),
    version: orNull(Type.String()),
    digest: orNull(Type.String({ description: 'null: it was taken out' })),
    at: Time('since which it was live'),
    by: Type.String({ description: 'id of the user or key that executed the release; `system`: the platform' }),
    snapshot: Type.Object({
      from_seq: orNull(Type.Integer({ description: 'the save that was released' })),
      ruleset: Document('in the format of the editor, with its sub-rules; null: it was live without a release before'),
      contract: Document('null: it had none'),
    }),
  },
  { title: 'HistoryEntry' },
)
export type HistoryEntry = Static<typeof HistoryEntry>
