import type { Replayed } from '@engine/analysis'
import type { HeldRuleset } from '@engine/api'
import type { ContractMode, DraftRuleset, WholeContract } from '@engine/authoring'
import type { Value } from '@engine/expression'
import type { ColumnType, Generated } from 'kysely'
import type { OrgId } from './org-id.ts'
import type {
  StoredActor,
  StoredCanary,
  StoredCoverage,
  StoredFreezeWindow,
  StoredProgress,
  StoredCall,
  StoredViolation,
  StoredRecording,
  StoredSubRule,
} from './stored-content.ts'

/**
 * The tables as Kysely sees them, one interface a table in the order of `migrations/`. Kept by hand;
 * tests/platform/tables.test.ts holds them to the database. A `bigint` is a number here: nothing counts beyond 2^53.
 */

/** Times in milliseconds, as in the columns. */
type Time = Date
type Now = Generated<Date>
/** Text of JSON on the way in, its value on the way out. */
type Json<Content = Value> = ColumnType<Content, string, string>
type GeneratedJson<Content = Value> = ColumnType<Content, string | undefined, string>
type NullableJson<Content = Value> = ColumnType<Content | null, string | null, string | null>
/** Never changed: a row does not move to another organization. */
type Owner = ColumnType<OrgId, OrgId, never>

/** The columns of every resource that people change. */
interface Recorded {
  created_at: Now
  created_by: string
  updated_at: Now
  rev: Generated<number>
}

interface Users {
  id: string
  email: string
  display_name: string
  password_hash: string | null
  auth_epoch: Generated<number>
  last_login: Time | null
  created_at: Now
  updated_at: Now
  rev: Generated<number>
}

interface ExternalIdentities {
  issuer: string
  subject: string
  user_id: string
  created_at: Now
}

interface Sessions {
  id: string
  token_hash: Buffer
  prefix: string
  user_id: string
  auth_epoch: number
  created_at: Now
  last_used_at: Now
  expires_at: Time
  ip: string | null
  user_agent: string | null
}

interface OneTimeTokens {
  id: string
  token_hash: Buffer
  purpose: 'sign-in' | 'reset'
  user_id: string
  created_at: Now
  expires_at: Time
  used_at: Time | null
}

interface SignInAttempts {
  subject: string
  window_begun: Now
  attempts: number
}

interface KnownDevices {
  token_hash: Buffer
  user_id: string
  created_at: Now
  last_used_at: Now
}

interface SignInFlows {
  state_hash: Buffer
  browser_hash: Buffer
  code_verifier: string
  nonce: string
  return_to: string | null
  expires_at: Time
}

interface IdempotencyKeys {
  caller: string
  key: string
  route: string
  request_digest: Buffer
  answer_status: number | null
  answer_headers: NullableJson<Readonly<Record<string, string>>>
  answer_body: Buffer | null
  created_at: Now
  expires_at: Time
  claim: string | null
}

interface Periodic {
  name: string
  next_run_at: Now
  lease_until: Time | null
  fence: Generated<number>
}

interface Organizations extends Recorded {
  org_id: Owner
  parent_org_id: OrgId | null
  name: string
  description: Generated<string>
}

interface Roles extends Recorded {
  org_id: Owner
  id: string
  name: string
  description: Generated<string>
  permissions: string[]
  is_system: Generated<boolean>
}

interface Members {
  org_id: Owner
  id: string
  user_id: string | null
  email: string
  status: 'invited' | 'active'
  invited_at: Now
  created_by: string
}

interface MemberProfiles {
  org_id: ColumnType<OrgId, never, never>
  id: ColumnType<string, never, never>
  user_id: ColumnType<string | null, never, never>
  email: ColumnType<string, never, never>
  display_name: ColumnType<string, never, never>
  status: ColumnType<'invited' | 'active', never, never>
  invited_at: ColumnType<Date, never, never>
}

interface RoleHolders {
  org_id: ColumnType<OrgId, never, never>
  user_id: ColumnType<string, never, never>
  role: ColumnType<string, never, never>
  is_system: ColumnType<boolean, never, never>
  permissions: ColumnType<string[], never, never>
}

interface MemberRoles {
  org_id: Owner
  member_id: string
  role_id: string
}

interface Invitations {
  org_id: Owner
  id: string
  member_id: string
  token_hash: Buffer
  prefix: string
  sent: boolean
  created_at: Now
  created_by: string
  expires_at: Time
}

/** The kinds of notifications for people. */
export type NotificationKind =
  | 'release_approval_pending'
  | 'release_failed'
  | 'release_commented'
  | 'tests_failed'
  | 'member_changed'

interface Notifications {
  org_id: Owner
  id: string
  user_id: string
  kind: NotificationKind
  ref_type: string
  ref_id: string
  payload: Json
  read_at: Time | null
  created_at: Now
}

/** Who acts. */
export type ActorType = 'user' | 'key' | 'server' | 'system'

interface AuditEntries {
  org_id: Owner
  id: string
  at: Now
  project_id: string | null
  actor_type: ActorType
  actor_id: string
  actor_name: string
  action: string
  object_type: string
  object_id: string
  object_name: string
  before: NullableJson
  after: NullableJson
  ip: string | null
  request_id: string | null
}

interface ApiKeys extends Recorded {
  org_id: Owner
  id: string
  name: string
  token_hash: Buffer
  prefix: string
  scopes: string[]
  project_ids: string[] | null
  environments: string[] | null
  user_id: string | null
  expires_at: Time | null
  last_used_at: Time | null
}

interface Projects extends Recorded {
  org_id: Owner
  id: string
  name: string
  description: Generated<string>
  current_environment: string
  contract_mode: Generated<ContractMode>
  public_key: string | null
  private_key_encrypted: Buffer | null
}

interface Environments extends Recorded {
  org_id: Owner
  id: string
  project_id: string
  name: string
  position: number
  is_default: Generated<boolean>
  requires_release: Generated<boolean>
  hold_before: Generated<boolean>
  allow_local_rulesets: Generated<boolean>
  canary: Json<StoredCanary>
  recording: Json<StoredRecording>
}

interface ConnectTokens extends Recorded {
  org_id: Owner
  id: string
  label: Generated<string>
  token_hash: Buffer
  prefix: string
  last_used_at: Time | null
}

interface Servers extends Recorded {
  org_id: ColumnType<OrgId | null, OrgId | null, never>
  id: string
  name: string
  instance_id: string
  region: Generated<string>
  url: string | null
  version: string
  capabilities: string[]
  tenants: boolean
  token_hash: Buffer
  generation: Generated<number>
  connect_token_id: string | null
  peer_address: string | null
  identity: Generated<'pending' | 'proved' | 'unsupported' | 'failed'>
  identity_problem: string | null
  session: string | null
  held_until: Time | null
  last_heartbeat: Time | null
  healthy: Generated<boolean>
  health: NullableJson
  problems: GeneratedJson
  reported_digest: string | null
  current_rulesets: GeneratedJson<HeldRuleset[]>
  desired_revision: Generated<number>
  applied_revision: Generated<number>
  drift: NullableJson
  drift_since: Time | null
  drift_repaired_at: Time | null
  compared_digest: string | null
  compared_revision: number | null
  receipt_faults: NullableJson
  receipt_keys: NullableJson
}

interface ReceiptChains {
  org_id: Owner
  server_id: string
  instance: string
  opening: string
  n: number
  entries: number
  checkpoint: string
  signature: string
  continued: boolean
  fault: 'rolled_back' | 'rewritten' | 'missing' | null
  faulty_at: Time | null
  contradiction: string | null
  reported_at: Time
}

interface DatabaseIdentity {
  is_only: Generated<boolean>
  id: string
}

interface EnvironmentServers {
  org_id: Owner
  environment_id: string
  server_id: string
  position: number
  canary_only: Generated<boolean>
}

interface RulesetContents {
  digest: string
  content: string
  created_at: Now
}

interface DesiredRulesets {
  org_id: Owner
  environment_id: string
  name: string
  digest: string
  version: string
  release_id: string | null
  updated_at: Now
}

interface ServerRulesets {
  org_id: Owner
  server_id: string
  tenant: string
  name: string
  digest: string | null
  revision: number
}

/** By step: how often each branch was taken, last the default, or no branch. */
type CountedBranches = { readonly [step: string]: readonly number[] }

interface RulesetStatistics {
  server_id: string
  session: string
  tenant: string
  ruleset: string
  digest: string
  ok: number
  errors: number
  codes: Json
  durations: Json
  branches: ColumnType<CountedBranches, string | undefined, string>
  updated_at: Now
}

interface MetricPoints {
  server_id: string
  name: string
  labels: Generated<string>
  at: Time
  value: number
}

/** The format of a webhook's messages. */
export type WebhookFormat = 'json' | 'slack' | 'teams' | 'cloudevents'

interface Webhooks extends Recorded {
  org_id: Owner
  id: string
  project_id: string
  url: string
  events: string[]
  format: WebhookFormat
  enabled: boolean
  secret_encrypted: Buffer
}

interface WebhookDeliveries {
  org_id: Owner
  id: string
  webhook_id: string
  event: string
  body: string
  attempt: Generated<number>
  status: Generated<'pending' | 'success' | 'failed'>
  response_status: number | null
  next_at: Time | null
  fence: Generated<number>
  created_at: Now
  updated_at: Now
}

interface Drafts {
  org_id: Owner
  id: string
  project_id: string
  name: string
  seq: number
  version: Generated<string>
  description: Generated<string>
  uses: Generated<string[]>
  deleted_at: Time | null
  created_at: Now
  created_by: string
  updated_at: Now
  updated_by: string
}

interface DraftSaves {
  org_id: Owner
  project_id: string
  name: string
  seq: number
  draft_id: string
  ruleset: Json
  /** Computed from `ruleset` by the database. */
  config: ColumnType<Value, never, never>
  saved_at: Now
  saved_by: string
}

interface RecordedDecisions {
  org_id: Owner
  id: string
  project_id: string
  environment_id: string
  ruleset_name: string
  digest: string
  at: Time
  /** Null: the input was refused. */
  code: string | null
  violations: Json<StoredViolation[]> | null
  input: Json
  output: Json
  server_id: string
  session: string
  seq: number
  receipt: string | null
  calls: Json<StoredCall[]> | null
  created_at: Now
}

interface Shadows extends Recorded {
  org_id: Owner
  id: string
  project_id: string
  environment_id: string
  ruleset_name: string
  from_seq: number
  digest: string
  percent: number
  ends_at: Time
  requests: Generated<number>
  changed: Generated<number>
  dropped: Generated<number>
}

interface ShadowTransitions {
  org_id: Owner
  shadow_id: string
  codes: string
  count: number
  examples: Json<readonly Value[]>
}

export type ReplayStatus = 'running' | 'completed' | 'failed'

interface Replays extends Recorded {
  org_id: Owner
  id: string
  project_id: string
  environment_id: string
  ruleset_name: string
  from_seq: number | null
  release_id: string | null
  digest: string
  base_version: string
  base_digest: string
  base_release_id: string | null
  decided_from: Time | null
  decided_to: Time
  total: number
  position_at: Time | null
  position_id: string | null
  records: Json<Replayed>
  status: Generated<ReplayStatus>
  error: string | null
  fence: Generated<number>
  next_at: Time | null
}

/** Whether engines have taken the published content. */
export type DeploymentStatus = 'queued' | 'success' | 'failed'

interface Deployments {
  org_id: Owner
  id: string
  environment_id: string
  ruleset_name: string
  version: string
  seq: number
  digest: string
  status: DeploymentStatus
  release_note: Generated<string>
  deployed_by: string
  deployed_at: Now
}

interface SubRules extends Recorded {
  org_id: Owner
  id: string
  project_id: string | null
  name: string
  version: string
  uses: Generated<string[]>
}

interface SubRuleSaves {
  org_id: Owner
  sub_rule_id: string
  seq: number
  version: string
  content: Json<StoredSubRule>
  saved_at: Now
  saved_by: string
}

interface Facts extends Recorded {
  org_id: Owner
  id: string
  project_id: string
  name: string
  type: string
  description: Generated<string>
  example: NullableJson
  tags: string[]
}

interface Concepts extends Recorded {
  org_id: Owner
  id: string
  project_id: string
  name: string
  fields: Json
}

interface Contracts extends Recorded {
  org_id: Owner
  id: string
  project_id: string
  name: string
  version: string
  content: Json
  fields: string[]
  concepts: string[]
  migrations: GeneratedJson
}

interface TestSuites extends Recorded {
  org_id: Owner
  id: string
  draft_id: string
  name: string
  cases: Json
}

interface Presence {
  org_id: Owner
  draft_id: string
  caller_id: string
  caller_type: 'user' | 'key'
  caller_name: string
  step_id: string | null
  since: Time
  seen_at: Time
}

interface RulesetCounts {
  org_id: Owner
  environment_id: string
  ruleset: string
  digest: string
  server_id: string
  at: Time
  ok: number
  errors: number
  codes: Json
  durations: Json
}

interface BranchCounts {
  org_id: Owner
  environment_id: string
  ruleset: string
  digest: string
  server_id: string
  day: Time
  executions: number
  branches: Json<CountedBranches>
}

/** Platform contract 4. */
export type ReleaseStatus =
  | 'pending_approval'
  | 'approved'
  | 'rejected'
  | 'cancelled'
  | 'executing'
  | 'paused'
  | 'completed'
  | 'failed'
  | 'rolling_back'
  | 'rolled_back'
  | 'rollback_failed'

interface ReleasePolicies extends Recorded {
  org_id: Owner
  id: string
  project_id: string
  name: string
  priority: number
  enabled: boolean
  environments: string[]
  min_count: number
  roles: string[]
  exclude_authors: boolean
  auto_run_tests: boolean
  require_contract_mode: Exclude<ContractMode, 'off'> | null
  forbid: Generated<string[]>
  max_changed: number | null
  require_coverage: NullableJson<StoredCoverage>
  freeze_window: NullableJson<StoredFreezeWindow>
}

interface Releases extends Recorded {
  org_id: Owner
  id: string
  project_id: string
  number: number
  kind: 'release' | 'rollback'
  status: ReleaseStatus
  title: string
  description: Generated<string>
  acknowledge_breaking: boolean
  content_digest: string
  rollback_of: string | null
  authors: string[]
  tests: NullableJson
  execution_id: string | null
  event_seq: Generated<number>
}

interface ReleaseContents {
  org_id: Owner
  release_id: string
  position: number
  name: string
  from_seq: number | null
  version: string | null
  digest: string | null
  ruleset: NullableJson<DraftRuleset>
  sub_rules: GeneratedJson
  contract: NullableJson<WholeContract>
  suites: GeneratedJson
  analysis: NullableJson
}

interface ReleaseEnvironments {
  org_id: Owner
  release_id: string
  environment_id: string
  name: string
  position: number
}

interface ReleaseTargets {
  org_id: Owner
  release_id: string
  environment_id: string
  name: string
  base_digest: string | null
  base_version: string | null
  base_release_id: string | null
  base_contract: NullableJson<WholeContract>
  digest: string | null
  version: string | null
  contract: NullableJson<WholeContract>
  diff: Json
  impact: NullableJson
}

interface ReleaseRequirements {
  org_id: Owner
  release_id: string
  position: number
  environment_id: string | null
  policy_id: string | null
  min_count: number
  roles: string[]
  exclude_authors: boolean
}

interface ReleaseReviews {
  org_id: Owner
  release_id: string
  user_id: string
  decision: 'approved' | 'rejected'
  comment: Generated<string>
  at: Now
}

interface ReleaseComments {
  org_id: Owner
  id: string
  release_id: string
  ruleset: string | null
  place: Generated<string>
  text: string
  settled: Generated<boolean>
  created_at: Now
  created_by: string
  updated_at: Now
  updated_by: string
}

interface DraftComments {
  org_id: Owner
  id: string
  draft_id: string
  place: string
  text: string
  settled: Generated<boolean>
  created_at: Now
  created_by: string
  updated_at: Now
  updated_by: string
}

interface TrustedKeys {
  org_id: Owner
  public_key: string
}

interface ReleaseSignatures {
  org_id: Owner
  release_id: string
  digest: string
  public_key: string
  signature: string
  signed_at: string | null
  created_at: Now
  created_by: string
}

interface ReleaseEvents {
  org_id: Owner
  release_id: string
  seq: number
  execution_id: string | null
  type: string
  at: Now
  status: ReleaseStatus
  environment: string | null
  server_id: string | null
  actor: Json<StoredActor>
  data: Json<Record<string, Value>>
}

interface ReleaseExecutions {
  org_id: Owner
  id: string
  release_id: string
  status: 'running' | 'paused' | 'completed' | 'failed' | 'cancelled' | 'rolled_back'
  step: 'preflight' | 'canary' | 'full' | 'verify' | 'done'
  environment_id: string | null
  stage: NullableJson
  progress: GeneratedJson<StoredProgress>
  emergency_reason: string | null
  error: string | null
  started_by: string
  started_at: Now
  ended_at: Time | null
  fence: Generated<number>
  lease_until: Time | null
  next_run_at: Time | null
}

interface ReleaseServers {
  org_id: Owner
  execution_id: string
  environment_id: string
  server_id: string
  name: string
  position: number
  canary_only: Generated<boolean>
  status: 'pending' | 'delivering' | 'verifying' | 'live' | 'skipped' | 'failed' | 'rolled_back'
  digest: string | null
  error: string | null
  waiting_since: Time | null
  updated_at: Now
}

interface ReleaseCanaries {
  org_id: Owner
  execution_id: string
  environment_id: string
  release_id: string
  stage: number
  basis_points: number
  begun_at: Now
  ends_at: Time
  control_p99_us: number | null
  evidence: GeneratedJson<Readonly<Record<string, number>>>
  ended_at: Time | null
}

interface CanaryCounts {
  org_id: Owner
  execution_id: string
  environment_id: string
  stage: number
  arm: 'canary' | 'stable'
  code: string
  requests: number
  errors: number
  slow: number
}

interface CanaryErrorKeys {
  org_id: Owner
  execution_id: string
  environment_id: string
  key_hash: Buffer
}

interface LiveHistory {
  org_id: Owner
  id: string
  environment_id: string
  release_id: string
  name: string
  version: string | null
  digest: string | null
  at: Now
  by: string
}

/** Tables whose rows belong to one organization: each has `org_id`. */
export interface OrgTables {
  organizations: Organizations
  roles: Roles
  members: Members
  member_roles: MemberRoles
  invitations: Invitations
  notifications: Notifications
  audit_entries: AuditEntries
  api_keys: ApiKeys
  projects: Projects
  environments: Environments
  connect_tokens: ConnectTokens
  servers: Servers
  environment_servers: EnvironmentServers
  receipt_chains: ReceiptChains
  desired_rulesets: DesiredRulesets
  server_rulesets: ServerRulesets
  webhooks: Webhooks
  webhook_deliveries: WebhookDeliveries
  drafts: Drafts
  draft_saves: DraftSaves
  deployments: Deployments
  sub_rules: SubRules
  sub_rule_saves: SubRuleSaves
  facts: Facts
  concepts: Concepts
  contracts: Contracts
  test_suites: TestSuites
  recorded_decisions: RecordedDecisions
  shadows: Shadows
  shadow_transitions: ShadowTransitions
  replays: Replays
  presence: Presence
  ruleset_counts: RulesetCounts
  branch_counts: BranchCounts
  release_policies: ReleasePolicies
  releases: Releases
  release_contents: ReleaseContents
  release_environments: ReleaseEnvironments
  release_targets: ReleaseTargets
  release_requirements: ReleaseRequirements
  release_reviews: ReleaseReviews
  release_events: ReleaseEvents
  release_comments: ReleaseComments
  draft_comments: DraftComments
  trusted_keys: TrustedKeys
  release_signatures: ReleaseSignatures
  release_executions: ReleaseExecutions
  release_servers: ReleaseServers
  release_canaries: ReleaseCanaries
  canary_counts: CanaryCounts
  canary_error_keys: CanaryErrorKeys
  live_history: LiveHistory
}

/** Views over these, which can only be read. */
export interface OrgViews {
  member_profiles: MemberProfiles
  role_holders: RoleHolders
}

/** Tables of no organization: identity, engines talking to the platform, periodic work. */
interface PlatformTables {
  users: Users
  external_identities: ExternalIdentities
  sessions: Sessions
  one_time_tokens: OneTimeTokens
  sign_in_attempts: SignInAttempts
  known_devices: KnownDevices
  sign_in_flows: SignInFlows
  idempotency_keys: IdempotencyKeys
  periodic: Periodic
  ruleset_contents: RulesetContents
  ruleset_statistics: RulesetStatistics
  metric_points: MetricPoints
  database_identity: DatabaseIdentity
}

/** Every table and view. */
export type Tables = OrgTables & OrgViews & PlatformTables
