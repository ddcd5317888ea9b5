-- Rulesets while they are written, sub-rules that they share, and what was published of them.

-- One ruleset of a project. Its content is in the save that `seq` names. A deleted one is kept, and its name is free again.
create table drafts (
  org_id uuid not null,
  id uuid not null,
  project_id uuid not null,
  name text collate "C" not null,
  -- Counts the saves. A name never has the same number twice, whichever draft has the name: an old page cannot overwrite a new draft.
  seq integer not null,
  -- Of the last save, for lists.
  version text not null default '',
  description text not null default '',
  -- Sub-rules of the project or the organization that the last save uses.
  uses text[] not null default '{}',
  deleted_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  created_by text not null,
  updated_at timestamptz(3) not null default now(),
  updated_by text not null,
  primary key (org_id, id),
  foreign key (org_id, project_id) references projects (org_id, id) on delete cascade deferrable
);
create unique index drafts_name on drafts (org_id, project_id, name) where deleted_at is null;

-- Every content that a draft had, under the name that it had then.
create table draft_saves (
  org_id uuid not null,
  project_id uuid not null,
  name text collate "C" not null,
  seq integer not null,
  draft_id uuid not null,
  ruleset json not null,
  saved_at timestamptz(3) not null default now(),
  saved_by text not null,
  primary key (org_id, project_id, name, seq),
  unique (org_id, draft_id, seq),
  foreign key (org_id, draft_id) references drafts (org_id, id) on delete cascade deferrable
);

-- What was published to an environment without a release.
create table deployments (
  org_id uuid not null,
  id uuid not null,
  environment_id uuid not null,
  ruleset_name text collate "C" not null,
  version text not null,
  seq integer not null,
  digest text collate "C" not null references ruleset_contents (digest) deferrable,
  status text not null check (status in ('queued', 'success', 'failed')),
  release_note text not null default '',
  deployed_by text not null,
  deployed_at timestamptz(3) not null default now(),
  primary key (org_id, id),
  foreign key (org_id, environment_id) references environments (org_id, id) on delete cascade deferrable
);
create index deployments_ruleset on deployments (org_id, environment_id, ruleset_name);
-- Looked for with every heartbeat.
create index deployments_queued on deployments (org_id, environment_id) where status = 'queued';
create index deployments_digest on deployments (digest);

-- Graphs that several rulesets use; project_id null: those of all projects of the organization.
create table sub_rules (
  org_id uuid not null references organizations (org_id) on delete cascade deferrable,
  id uuid not null,
  project_id uuid,
  name text collate "C" not null,
  version text not null,
  -- Other sub-rules that it uses.
  uses text[] not null default '{}',
  created_at timestamptz(3) not null default now(),
  created_by text not null,
  updated_at timestamptz(3) not null default now(),
  -- Also `seq` in the interface.
  rev integer not null default 1,
  primary key (org_id, id),
  unique nulls not distinct (org_id, project_id, name),
  foreign key (org_id, project_id) references projects (org_id, id) on delete cascade deferrable
);

-- Every content that a sub-rule had: `{graph, bindings, outputs}`.
create table sub_rule_saves (
  org_id uuid not null,
  sub_rule_id uuid not null,
  seq integer not null,
  version text not null,
  content json not null,
  saved_at timestamptz(3) not null default now(),
  saved_by text not null,
  primary key (org_id, sub_rule_id, seq),
  foreign key (org_id, sub_rule_id) references sub_rules (org_id, id) on delete cascade deferrable
);
