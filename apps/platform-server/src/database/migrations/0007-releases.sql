-- Releases: who has to agree to them, what they contain, and how they reach engines.

create table release_policies (
  org_id uuid not null,
  id uuid not null,
  project_id uuid not null,
  name text collate "C" not null,
  priority integer not null,
  enabled boolean not null,
  -- Ids, so that a policy follows an environment that is renamed; empty: all environments.
  environments uuid[] not null,
  min_count integer not null,
  -- Names of roles and actions; empty: those who hold `release.approve`.
  roles text[] not null,
  exclude_authors boolean not null,
  auto_run_tests boolean not null,
  -- `{cron, duration, time_zone?}`
  freeze_window json,
  created_at timestamptz(3) not null default now(),
  created_by text not null,
  updated_at timestamptz(3) not null default now(),
  rev integer not null default 1,
  primary key (org_id, id),
  unique (org_id, project_id, name),
  foreign key (org_id, project_id) references projects (org_id, id) on delete cascade deferrable
);

create table releases (
  org_id uuid not null,
  id uuid not null,
  project_id uuid not null,
  -- Counts the releases of the project.
  number integer not null,
  kind text not null check (kind in ('release', 'rollback')),
  status text not null check (status in ('pending_approval', 'approved', 'rejected', 'cancelled', 'executing', 'paused',
    'completed', 'failed', 'rolling_back', 'rolled_back', 'rollback_failed')),
  title text collate "C" not null,
  description text not null default '',
  acknowledge_breaking boolean not null,
  -- Over `release_contents`: hexadecimal SHA-256.
  content_digest text not null,
  rollback_of uuid,
  -- Ids of users.
  authors text[] not null,
  -- Outcome of the suites; null: none ran.
  tests json,
  -- The last one.
  execution_id uuid,
  -- Numbers the events: counted under the lock of this row, so that no number becomes visible after a higher one.
  event_seq integer not null default 0,
  created_at timestamptz(3) not null default now(),
  created_by text not null,
  updated_at timestamptz(3) not null default now(),
  rev integer not null default 1,
  primary key (org_id, id),
  unique (org_id, project_id, number),
  foreign key (org_id, project_id) references projects (org_id, id) on delete cascade deferrable
);
create index releases_status on releases (org_id, status);

-- Copies of what is released; later edits do not touch them. Of a rollback each content that some environment gets back.
create table release_contents (
  org_id uuid not null,
  release_id uuid not null,
  position integer not null,
  name text collate "C" not null,
  -- The save; null: of a removal, or of a content that was live without a release.
  from_seq integer,
  version text,
  -- Null: the ruleset is taken out.
  digest text collate "C" references ruleset_contents (digest) deferrable,
  -- In the format of the editor.
  ruleset json,
  -- `[{id, name, seq}]`: the sub-rules that are inlined in it.
  sub_rules json not null default '[]',
  contract json,
  -- `[{name, cases}]`
  suites json not null default '[]',
  primary key (org_id, release_id, position),
  foreign key (org_id, release_id) references releases (org_id, id) on delete cascade deferrable
);
create index release_contents_digest on release_contents (digest);
create index release_contents_name on release_contents (org_id, name);

-- Where a release goes, in this order; `name` as it was then, which outlives the environment.
create table release_environments (
  org_id uuid not null,
  release_id uuid not null,
  environment_id uuid not null,
  name text collate "C" not null,
  position integer not null,
  primary key (org_id, release_id, environment_id),
  foreign key (org_id, release_id) references releases (org_id, id) on delete cascade deferrable
);
create index release_environments_environment on release_environments (org_id, environment_id);

-- What a release makes of one ruleset in one environment: from `base_…`, which is live when the release is made, to `digest`.
create table release_targets (
  org_id uuid not null,
  release_id uuid not null,
  environment_id uuid not null,
  name text collate "C" not null,
  -- Null: nothing is live there.
  base_digest text collate "C" references ruleset_contents (digest) deferrable,
  base_version text,
  base_release_id uuid,
  base_contract json,
  -- Null: the ruleset is taken out.
  digest text collate "C" references ruleset_contents (digest) deferrable,
  version text,
  contract json,
  -- As the interface shows it.
  diff json not null,
  primary key (org_id, release_id, environment_id, name),
  foreign key (org_id, release_id) references releases (org_id, id) on delete cascade deferrable
);
create index release_targets_base on release_targets (base_digest);
create index release_targets_digest on release_targets (digest);

-- Who has to agree, as the policies said when the release was made.
create table release_requirements (
  org_id uuid not null,
  release_id uuid not null,
  position integer not null,
  -- Null: because the contract breaks.
  environment_id uuid,
  policy_id uuid,
  min_count integer not null,
  roles text[] not null,
  exclude_authors boolean not null,
  primary key (org_id, release_id, position),
  foreign key (org_id, release_id) references releases (org_id, id) on delete cascade deferrable
);

create table release_reviews (
  org_id uuid not null,
  release_id uuid not null,
  user_id uuid not null,
  decision text not null check (decision in ('approved', 'rejected')),
  comment text not null default '',
  at timestamptz(3) not null default now(),
  primary key (org_id, release_id, user_id),
  foreign key (org_id, release_id) references releases (org_id, id) on delete cascade deferrable
);

-- What happened to a release, numbered within it.
create table release_events (
  org_id uuid not null,
  release_id uuid not null,
  seq integer not null,
  execution_id uuid,
  type text not null,
  at timestamptz(3) not null default now(),
  -- Of the release, after the event.
  status text not null,
  environment text,
  server_id uuid,
  -- `{type, id, name}`
  actor json not null,
  data json not null,
  primary key (org_id, release_id, seq),
  foreign key (org_id, release_id) references releases (org_id, id) on delete cascade deferrable
);
create index release_events_execution on release_events (org_id, execution_id, seq);

-- One way of a release to its engines. A replica that works on it holds the lease, and stores nothing when `fence` is another.
create table release_executions (
  org_id uuid not null,
  id uuid not null,
  release_id uuid not null,
  status text not null check (status in ('running', 'paused', 'completed', 'failed', 'cancelled', 'rolled_back')),
  step text not null check (step in ('preflight', 'canary', 'full', 'verify', 'done')),
  -- Where it is; null: before the first one.
  environment_id uuid,
  -- `{index, percent, ends_at, verdict}`; null: in no stage.
  stage json,
  -- Of the job alone: what it has to know after a restart.
  progress json not null default '{}',
  -- By an owner, in a freeze window.
  emergency_reason text,
  error text,
  started_by text not null,
  started_at timestamptz(3) not null default now(),
  ended_at timestamptz(3),
  fence integer not null default 0,
  lease_until timestamptz(3),
  -- When it is looked at next; null: it has ended.
  next_run_at timestamptz(3),
  primary key (org_id, id),
  foreign key (org_id, release_id) references releases (org_id, id) on delete cascade deferrable
);
create index release_executions_release on release_executions (org_id, release_id, id desc);
create index release_executions_due on release_executions (next_run_at) where next_run_at is not null;

-- The engines of an execution, as they were bound when it came to their environment.
create table release_servers (
  org_id uuid not null,
  execution_id uuid not null,
  environment_id uuid not null,
  server_id uuid not null,
  name text not null,
  position integer not null,
  status text not null check (status in ('pending', 'delivering', 'verifying', 'live', 'skipped', 'failed', 'rolled_back')),
  digest text,
  error text,
  -- Since when it is unhealthy or misses what it should have; null: it is as it should be.
  waiting_since timestamptz(3),
  updated_at timestamptz(3) not null default now(),
  primary key (org_id, execution_id, environment_id, server_id),
  foreign key (org_id, execution_id) references release_executions (org_id, id) on delete cascade deferrable
);
create index release_servers_server on release_servers (org_id, server_id);

-- A share of the requests of an environment that a candidate answers, while a stage lasts.
create table release_canaries (
  org_id uuid not null,
  execution_id uuid not null,
  environment_id uuid not null,
  release_id uuid not null,
  stage integer not null,
  -- Of 10,000 requests.
  basis_points integer not null,
  begun_at timestamptz(3) not null default now(),
  ends_at timestamptz(3) not null,
  -- Microseconds within which 99 % of the answers of the live content came before the stage; null: not measured.
  control_p99_us bigint,
  -- Sums of the sequential test.
  evidence json not null default '{}',
  ended_at timestamptz(3),
  primary key (org_id, execution_id, environment_id, stage),
  foreign key (org_id, execution_id) references release_executions (org_id, id) on delete cascade deferrable,
  foreign key (org_id, environment_id) references environments (org_id, id) on delete cascade deferrable
);
create index release_canaries_open on release_canaries (org_id, environment_id) where ended_at is null;

-- What the proxy counted in a stage. `code` empty: all requests of the arm.
create table canary_counts (
  org_id uuid not null,
  execution_id uuid not null,
  environment_id uuid not null,
  stage integer not null,
  arm text not null check (arm in ('canary', 'stable')),
  code text collate "C" not null,
  requests bigint not null,
  errors bigint not null,
  slow bigint not null,
  primary key (org_id, execution_id, environment_id, stage, arm, code),
  foreign key (org_id, execution_id) references release_executions (org_id, id) on delete cascade deferrable
);

-- Sticky keys whose first error was counted in a canary, so that replicas count none twice.
create table canary_error_keys (
  org_id uuid not null,
  execution_id uuid not null,
  environment_id uuid not null,
  key_hash bytea not null,
  primary key (org_id, execution_id, environment_id, key_hash),
  foreign key (org_id, execution_id) references release_executions (org_id, id) on delete cascade deferrable
);

-- What was live in an environment by releases, one row a ruleset and release.
create table live_history (
  org_id uuid not null,
  id uuid not null,
  environment_id uuid not null,
  release_id uuid not null,
  name text collate "C" not null,
  version text,
  -- Null: it was taken out.
  digest text collate "C" references ruleset_contents (digest) deferrable,
  at timestamptz(3) not null default now(),
  by text not null,
  primary key (org_id, id),
  unique (org_id, release_id, environment_id, name),
  foreign key (org_id, environment_id) references environments (org_id, id) on delete cascade deferrable,
  foreign key (org_id, release_id) references releases (org_id, id) on delete cascade deferrable
);
create index live_history_ruleset on live_history (org_id, name, environment_id, id desc);
create index live_history_digest on live_history (digest);

-- The roles that count in an organization now, with those of its parent that flow down. Read where the roles of other people
-- than the caller decide, as with approvals.
create view role_holders as
select o.org_id, m.user_id, r.name as role, r.is_system, r.permissions
from organizations o
join members m on m.org_id = o.org_id or m.org_id = o.parent_org_id
join member_roles mr on mr.org_id = m.org_id and mr.member_id = m.id
join roles r on r.org_id = mr.org_id and r.id = mr.role_id
where m.status = 'active' and m.user_id is not null
  and (m.org_id = o.org_id or (r.is_system and r.name in ('owner', 'admin')));
