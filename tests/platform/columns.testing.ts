import type { Value } from '@engine/expression'
import type { InsertType, SelectType } from 'kysely'
import type { Tables } from '../../apps/platform-server/src/database/tables.ts'

/** What a column of PostgreSQL can be for its type in TypeScript. */
type Name<Selected> = Value extends Selected
  ? 'json'
  : [Selected] extends [boolean]
    ? 'boolean'
    : [Selected] extends [Date]
      ? 'timestamptz'
      : [Selected] extends [Buffer]
        ? 'bytea'
        : [Selected] extends [number]
          ? 'integer' | 'bigint' | 'double precision'
          : [Selected] extends [string[]]
            ? 'text[]' | 'uuid[]'
            : [Selected] extends [string]
              ? 'text' | 'uuid'
              : never

/** With `?` where null is allowed, which PostgreSQL says of every column of a view, and `=` where there is a default. */
type Notation<Column> = [InsertType<Column>] extends [never]
  ? `${Name<NonNullable<SelectType<Column>>>}?`
  : null extends InsertType<Column>
    ? `${Name<Value extends SelectType<Column> ? Value : NonNullable<SelectType<Column>>>}?`
    : undefined extends InsertType<Column>
      ? `${Name<SelectType<Column>>}=`
      : Name<SelectType<Column>>

/**
 * Every column of every table, with the type that it has in the database. The compiler holds it to `Tables`, and
 * tables.test.ts to the database.
 */
export const COLUMNS: {
  readonly [Table in keyof Tables]: { readonly [Column in keyof Tables[Table]]: Notation<Tables[Table][Column]> }
} = {
  api_keys: {
    org_id: 'uuid',
    id: 'uuid',
    name: 'text',
    token_hash: 'bytea',
    prefix: 'text',
    scopes: 'text[]',
    project_ids: 'uuid[]?',
    environments: 'text[]?',
    user_id: 'uuid?',
    expires_at: 'timestamptz?',
    last_used_at: 'timestamptz?',
    created_at: 'timestamptz=',
    created_by: 'text',
    updated_at: 'timestamptz=',
    rev: 'integer=',
  },
  audit_entries: {
    org_id: 'uuid',
    id: 'uuid',
    at: 'timestamptz=',
    project_id: 'uuid?',
    actor_type: 'text',
    actor_id: 'text',
    actor_name: 'text',
    action: 'text',
    object_type: 'text',
    object_id: 'text',
    object_name: 'text',
    before: 'json?',
    after: 'json?',
    ip: 'text?',
    request_id: 'text?',
  },
  connect_tokens: {
    org_id: 'uuid',
    id: 'uuid',
    label: 'text=',
    token_hash: 'bytea',
    prefix: 'text',
    last_used_at: 'timestamptz?',
    created_at: 'timestamptz=',
    created_by: 'text',
    updated_at: 'timestamptz=',
    rev: 'integer=',
  },
  desired_rulesets: {
    org_id: 'uuid',
    environment_id: 'uuid',
    name: 'text',
    digest: 'text',
    version: 'text',
    release_id: 'uuid?',
    updated_at: 'timestamptz=',
  },
  environment_servers: {
    org_id: 'uuid',
    environment_id: 'uuid',
    server_id: 'uuid',
    position: 'integer',
  },
  environments: {
    org_id: 'uuid',
    id: 'uuid',
    project_id: 'uuid',
    name: 'text',
    position: 'integer',
    is_default: 'boolean=',
    requires_release: 'boolean=',
    hold_before: 'boolean=',
    canary: 'json',
    recording: 'json',
    created_at: 'timestamptz=',
    created_by: 'text',
    updated_at: 'timestamptz=',
    rev: 'integer=',
  },
  external_identities: {
    issuer: 'text',
    subject: 'text',
    user_id: 'uuid',
    created_at: 'timestamptz=',
  },
  idempotency_keys: {
    caller: 'text',
    key: 'text',
    route: 'text',
    request_digest: 'bytea',
    answer_status: 'integer?',
    answer_headers: 'json?',
    answer_body: 'bytea?',
    created_at: 'timestamptz=',
    expires_at: 'timestamptz',
  },
  invitations: {
    org_id: 'uuid',
    id: 'uuid',
    member_id: 'uuid',
    token_hash: 'bytea',
    prefix: 'text',
    sent: 'boolean',
    created_at: 'timestamptz=',
    created_by: 'text',
    expires_at: 'timestamptz',
  },
  known_devices: {
    token_hash: 'bytea',
    user_id: 'uuid',
    created_at: 'timestamptz=',
    last_used_at: 'timestamptz=',
  },
  member_profiles: {
    org_id: 'uuid?',
    id: 'uuid?',
    user_id: 'uuid?',
    email: 'text?',
    display_name: 'text?',
    status: 'text?',
    invited_at: 'timestamptz?',
  },
  member_roles: {
    org_id: 'uuid',
    member_id: 'uuid',
    role_id: 'uuid',
  },
  members: {
    org_id: 'uuid',
    id: 'uuid',
    user_id: 'uuid?',
    email: 'text',
    status: 'text',
    invited_at: 'timestamptz=',
    created_by: 'text',
  },
  metric_points: {
    server_id: 'uuid',
    name: 'text',
    labels: 'text=',
    at: 'timestamptz',
    value: 'double precision',
  },
  notifications: {
    org_id: 'uuid',
    id: 'uuid',
    user_id: 'uuid',
    kind: 'text',
    ref_type: 'text',
    ref_id: 'text',
    payload: 'json',
    read_at: 'timestamptz?',
    created_at: 'timestamptz=',
  },
  one_time_tokens: {
    id: 'uuid',
    token_hash: 'bytea',
    purpose: 'text',
    user_id: 'uuid',
    created_at: 'timestamptz=',
    expires_at: 'timestamptz',
    used_at: 'timestamptz?',
  },
  organizations: {
    org_id: 'uuid',
    parent_org_id: 'uuid?',
    name: 'text',
    description: 'text=',
    created_at: 'timestamptz=',
    created_by: 'text',
    updated_at: 'timestamptz=',
    rev: 'integer=',
  },
  periodic: {
    name: 'text',
    next_run_at: 'timestamptz=',
    lease_until: 'timestamptz?',
    fence: 'integer=',
  },
  projects: {
    org_id: 'uuid',
    id: 'uuid',
    name: 'text',
    description: 'text=',
    current_environment: 'text',
    public_key: 'text?',
    private_key_encrypted: 'bytea?',
    created_at: 'timestamptz=',
    created_by: 'text',
    updated_at: 'timestamptz=',
    rev: 'integer=',
  },
  roles: {
    org_id: 'uuid',
    id: 'uuid',
    name: 'text',
    description: 'text=',
    permissions: 'text[]',
    is_system: 'boolean=',
    created_at: 'timestamptz=',
    created_by: 'text',
    updated_at: 'timestamptz=',
    rev: 'integer=',
  },
  ruleset_contents: {
    digest: 'text',
    content: 'text',
    created_at: 'timestamptz=',
  },
  ruleset_statistics: {
    server_id: 'uuid',
    session: 'text',
    tenant: 'text',
    ruleset: 'text',
    digest: 'text',
    ok: 'bigint',
    errors: 'bigint',
    codes: 'json',
    durations: 'json',
    updated_at: 'timestamptz=',
  },
  server_rulesets: {
    org_id: 'uuid',
    server_id: 'uuid',
    tenant: 'text',
    name: 'text',
    digest: 'text?',
    revision: 'bigint',
  },
  servers: {
    org_id: 'uuid?',
    id: 'uuid',
    name: 'text',
    instance_id: 'text',
    region: 'text=',
    url: 'text?',
    version: 'text',
    capabilities: 'text[]',
    tenants: 'boolean',
    token_hash: 'bytea',
    generation: 'integer=',
    connect_token_id: 'uuid?',
    session: 'text?',
    held_until: 'timestamptz?',
    last_heartbeat: 'timestamptz?',
    healthy: 'boolean=',
    health: 'json?',
    problems: 'json=',
    reported_digest: 'text?',
    current_rulesets: 'json=',
    desired_revision: 'bigint=',
    applied_revision: 'bigint=',
    created_at: 'timestamptz=',
    created_by: 'text',
    updated_at: 'timestamptz=',
    rev: 'integer=',
  },
  sessions: {
    id: 'uuid',
    token_hash: 'bytea',
    prefix: 'text',
    user_id: 'uuid',
    auth_epoch: 'integer',
    created_at: 'timestamptz=',
    last_used_at: 'timestamptz=',
    expires_at: 'timestamptz',
    ip: 'text?',
    user_agent: 'text?',
  },
  sign_in_attempts: {
    subject: 'text',
    window_begun: 'timestamptz=',
    attempts: 'integer',
  },
  sign_in_flows: {
    state_hash: 'bytea',
    browser_hash: 'bytea',
    code_verifier: 'text',
    nonce: 'text',
    return_to: 'text?',
    expires_at: 'timestamptz',
  },
  users: {
    id: 'uuid',
    email: 'text',
    display_name: 'text',
    password_hash: 'text?',
    auth_epoch: 'integer=',
    last_login: 'timestamptz?',
    created_at: 'timestamptz=',
    updated_at: 'timestamptz=',
    rev: 'integer=',
  },
}
