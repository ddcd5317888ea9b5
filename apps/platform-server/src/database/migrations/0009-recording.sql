-- Decisions that engines have kept, and candidates that run beside what is live.

-- One decision; masked values are `***` in it.
create table recorded_decisions (
  org_id uuid not null,
  id uuid not null,
  project_id uuid not null,
  environment_id uuid not null,
  ruleset_name text collate "C" not null,
  digest text not null,
  -- By the clock of the engine.
  at timestamptz(3) not null,
  code text collate "C" not null,
  input json not null,
  output json not null,
  -- Which sample of which engine it is: one that is sent again is stored once.
  server_id uuid not null,
  session text not null,
  seq bigint not null,
  created_at timestamptz(3) not null default now(),
  primary key (org_id, id),
  unique (org_id, server_id, session, seq),
  foreign key (org_id, project_id) references projects (org_id, id) on delete cascade deferrable,
  foreign key (org_id, environment_id) references environments (org_id, id) on delete cascade deferrable
);
create index recorded_decisions_ruleset on recorded_decisions (org_id, project_id, ruleset_name, at desc, id desc);
create index recorded_decisions_age on recorded_decisions (environment_id, created_at);

-- A content that decides beside the live one, on a share of the requests through the proxy, for nothing but the comparison.
create table shadows (
  org_id uuid not null,
  id uuid not null,
  project_id uuid not null,
  environment_id uuid not null,
  ruleset_name text collate "C" not null,
  from_seq integer not null,
  digest text collate "C" not null references ruleset_contents (digest) deferrable,
  percent double precision not null,
  ends_at timestamptz(3) not null,
  -- That both have decided.
  requests bigint not null default 0,
  changed bigint not null default 0,
  -- That were to be compared and could not be, most of them for want of time.
  dropped bigint not null default 0,
  created_at timestamptz(3) not null default now(),
  created_by text not null,
  updated_at timestamptz(3) not null default now(),
  rev integer not null default 1,
  primary key (org_id, id),
  foreign key (org_id, project_id) references projects (org_id, id) on delete cascade deferrable,
  foreign key (org_id, environment_id) references environments (org_id, id) on delete cascade deferrable
);
create index shadows_project on shadows (org_id, project_id);
create index shadows_digest on shadows (digest);

-- Decisions that differ, by the codes of both.
create table shadow_transitions (
  org_id uuid not null,
  shadow_id uuid not null,
  -- JSON: `[live code, candidate's code]`, null for one that failed.
  codes text collate "C" not null,
  count bigint not null,
  -- The first ones: `[{input, live, candidate}]`, masked.
  examples json not null,
  primary key (org_id, shadow_id, codes),
  foreign key (org_id, shadow_id) references shadows (org_id, id) on delete cascade deferrable
);
