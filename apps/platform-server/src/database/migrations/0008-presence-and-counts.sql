-- Who is at which step of a ruleset now. A row that is not renewed counts no longer, and is deleted later.
create table presence (
  org_id uuid not null,
  draft_id uuid not null,
  caller_id text not null,
  caller_type text not null check (caller_type in ('user', 'key')),
  caller_name text not null,
  -- null: at the ruleset, and at none of its steps.
  step_id text,
  since timestamptz(3) not null,
  seen_at timestamptz(3) not null,
  primary key (org_id, draft_id, caller_id),
  foreign key (org_id, draft_id) references drafts (org_id, id) on delete cascade deferrable
);
create index presence_age on presence (seen_at);

-- What the engines of an environment have decided by each content of a ruleset, minute by minute, kept for a bounded time. It
-- outlives the engine that counted.
create table ruleset_counts (
  org_id uuid not null,
  environment_id uuid not null,
  ruleset text collate "C" not null,
  digest text collate "C" not null,
  server_id uuid not null,
  at timestamptz(3) not null,
  ok bigint not null,
  errors bigint not null,
  -- Decisions by result code.
  codes json not null,
  -- `{counts, sum_seconds}`: executions by bucket of duration, in seconds.
  durations json not null,
  primary key (org_id, environment_id, ruleset, digest, server_id, at),
  foreign key (org_id, environment_id) references environments (org_id, id) on delete cascade deferrable
);
create index ruleset_counts_server on ruleset_counts (org_id, server_id, at);
create index ruleset_counts_age on ruleset_counts (at);
