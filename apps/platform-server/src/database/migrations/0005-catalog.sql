-- Facts, concepts and contracts of projects, and the tests of their rulesets.

create table facts (
  org_id uuid not null,
  id uuid not null,
  project_id uuid not null,
  name text collate "C" not null,
  type text not null,
  description text not null default '',
  example json,
  tags text[] not null,
  created_at timestamptz(3) not null default now(),
  created_by text not null,
  updated_at timestamptz(3) not null default now(),
  rev integer not null default 1,
  primary key (org_id, id),
  unique (org_id, project_id, name),
  foreign key (org_id, project_id) references projects (org_id, id) on delete cascade deferrable
);

create table concepts (
  org_id uuid not null,
  id uuid not null,
  project_id uuid not null,
  name text collate "C" not null,
  fields json not null,
  created_at timestamptz(3) not null default now(),
  created_by text not null,
  updated_at timestamptz(3) not null default now(),
  rev integer not null default 1,
  primary key (org_id, id),
  unique (org_id, project_id, name),
  foreign key (org_id, project_id) references projects (org_id, id) on delete cascade deferrable
);

create table contracts (
  org_id uuid not null,
  id uuid not null,
  project_id uuid not null,
  name text collate "C" not null,
  version text not null,
  -- Description, input and outputs.
  content json not null,
  -- Names of the fields and of the concepts in their types, so that what uses a fact or concept is found without the content.
  fields text[] not null,
  concepts text[] not null,
  -- Fields whose fact or concept changed since the last change of the contract, each with the reason.
  migrations json not null default '[]',
  created_at timestamptz(3) not null default now(),
  created_by text not null,
  updated_at timestamptz(3) not null default now(),
  rev integer not null default 1,
  primary key (org_id, id),
  unique (org_id, project_id, name),
  foreign key (org_id, project_id) references projects (org_id, id) on delete cascade deferrable
);

-- Cases of a ruleset: `[{id, name, input, now?, stubs?, expect}]`.
create table test_suites (
  org_id uuid not null,
  id uuid not null,
  draft_id uuid not null,
  name text collate "C" not null,
  cases json not null,
  created_at timestamptz(3) not null default now(),
  created_by text not null,
  updated_at timestamptz(3) not null default now(),
  rev integer not null default 1,
  primary key (org_id, id),
  unique (org_id, draft_id, name),
  foreign key (org_id, draft_id) references drafts (org_id, id) on delete cascade deferrable
);
