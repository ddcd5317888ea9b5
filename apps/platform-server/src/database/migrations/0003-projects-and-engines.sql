-- Projects with their environments, engines with what they report, and what each environment should have.

create table projects (
  org_id uuid not null references organizations (org_id) deferrable,
  -- Also unique by itself: `/projects/:pid` finds its organization by it.
  id uuid not null unique,
  name text collate "C" not null,
  description text not null default '',
  current_environment text not null,
  -- Base64 of the Ed25519 public key; the private one sealed with the key of the platform.
  public_key text,
  private_key_encrypted bytea,
  created_at timestamptz(3) not null default now(),
  created_by text not null,
  updated_at timestamptz(3) not null default now(),
  rev integer not null default 1,
  primary key (org_id, id),
  unique (org_id, name)
);

create table environments (
  org_id uuid not null,
  id uuid not null,
  project_id uuid not null,
  name text collate "C" not null,
  position integer not null,
  is_default boolean not null default false,
  requires_release boolean not null default true,
  hold_before boolean not null default false,
  canary json not null,
  recording json not null,
  created_at timestamptz(3) not null default now(),
  created_by text not null,
  updated_at timestamptz(3) not null default now(),
  rev integer not null default 1,
  primary key (org_id, id),
  unique (org_id, project_id, name),
  foreign key (org_id, project_id) references projects (org_id, id) on delete cascade deferrable
);

create table connect_tokens (
  org_id uuid not null references organizations (org_id) on delete cascade deferrable,
  id uuid not null,
  label text collate "C" not null default '',
  token_hash bytea not null unique,
  prefix text not null,
  last_used_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  created_by text not null,
  updated_at timestamptz(3) not null default now(),
  rev integer not null default 1,
  primary key (org_id, id)
);

-- org_id null: registered by the secret of the platform, of no organization.
create table servers (
  org_id uuid references organizations (org_id) deferrable,
  id uuid primary key,
  name text collate "C" not null,
  instance_id text not null,
  region text not null default '',
  url text,
  version text not null,
  capabilities text[] not null,
  tenants boolean not null,
  token_hash bytea not null unique,
  -- Part of what the proxy token is computed from: a new registration makes a new one.
  generation integer not null default 1,
  connect_token_id uuid,
  -- The heartbeat that is being held, and until when: another instance of the name is refused meanwhile.
  session text,
  held_until timestamptz(3),
  last_heartbeat timestamptz(3),
  -- Was healthy when last looked at, so that turning unhealthy is noticed once.
  healthy boolean not null default false,
  health json,
  problems json not null default '[]',
  reported_digest text,
  current_rulesets json not null default '[]',
  -- By the clock where it is ahead of the count, so that a database restored from a backup gives no number a second time.
  desired_revision bigint not null default 0,
  applied_revision bigint not null default 0,
  created_at timestamptz(3) not null default now(),
  created_by text not null,
  updated_at timestamptz(3) not null default now(),
  rev integer not null default 1,
  unique (org_id, id),
  unique nulls not distinct (org_id, name)
);
create index servers_heartbeat on servers (last_heartbeat) where healthy;

-- Which engines serve an environment: position 0 is the primary, the others are backups in this order.
create table environment_servers (
  org_id uuid not null,
  environment_id uuid not null,
  server_id uuid not null,
  position integer not null,
  primary key (org_id, environment_id, server_id),
  unique (org_id, environment_id, position) deferrable,
  foreign key (org_id, environment_id) references environments (org_id, id) on delete cascade deferrable,
  foreign key (org_id, server_id) references servers (org_id, id) on delete cascade deferrable
);
create index environment_servers_server on environment_servers (org_id, server_id);

-- Content by its digest: hexadecimal SHA-256 of the canonical JSON without its signature.
create table ruleset_contents (
  digest text collate "C" primary key,
  content text not null,
  created_at timestamptz(3) not null default now()
);

-- What the engines of an environment should have. A candidate of a canary is a row of its own name.
create table desired_rulesets (
  org_id uuid not null,
  environment_id uuid not null,
  name text collate "C" not null,
  digest text collate "C" not null references ruleset_contents (digest) deferrable,
  version text not null,
  release_id uuid,
  updated_at timestamptz(3) not null default now(),
  primary key (org_id, environment_id, name),
  foreign key (org_id, environment_id) references environments (org_id, id) on delete cascade deferrable
);
create index desired_rulesets_digest on desired_rulesets (digest);

-- What each engine should have, as its environments want it; digest null: it should have it no more. `revision` is the one of the
-- server with which this became so: an engine is told what came after its own.
create table server_rulesets (
  org_id uuid not null,
  server_id uuid not null,
  -- Empty: the engine has no tenants.
  tenant text not null,
  name text collate "C" not null,
  digest text collate "C" references ruleset_contents (digest) deferrable,
  revision bigint not null,
  primary key (org_id, server_id, tenant, name),
  foreign key (org_id, server_id) references servers (org_id, id) on delete cascade deferrable
);
create index server_rulesets_digest on server_rulesets (digest);

-- What an engine counted since its session began, as it last said: a lost or repeated heartbeat does no harm.
create table ruleset_statistics (
  server_id uuid not null references servers (id) on delete cascade deferrable,
  session text not null,
  tenant text not null,
  ruleset text collate "C" not null,
  digest text collate "C" not null,
  ok bigint not null,
  errors bigint not null,
  codes json not null,
  durations json not null,
  updated_at timestamptz(3) not null default now(),
  primary key (server_id, session, tenant, ruleset, digest)
);

-- History for charts, kept for a bounded time.
create table metric_points (
  server_id uuid not null references servers (id) on delete cascade deferrable,
  name text not null,
  labels text not null default '',
  at timestamptz(3) not null,
  value double precision not null,
  primary key (server_id, name, labels, at)
);
create index metric_points_age on metric_points (at);
