-- Organizations and what belongs to one. Every table has org_id in its key and in its foreign keys, so that a row can
-- never refer to one of another organization.

create table organizations (
  org_id uuid primary key,
  parent_org_id uuid references organizations (org_id) deferrable,
  name text collate "C" not null,
  description text not null default '',
  created_at timestamptz(3) not null default now(),
  created_by text not null,
  updated_at timestamptz(3) not null default now(),
  rev integer not null default 1
);
create unique index organizations_name on organizations (parent_org_id, name) where parent_org_id is not null;

create table roles (
  org_id uuid not null references organizations (org_id) on delete cascade deferrable,
  id uuid not null,
  name text collate "C" not null,
  description text not null default '',
  -- Of a built-in role empty: its actions are those of the running program.
  permissions text[] not null,
  is_system boolean not null default false,
  created_at timestamptz(3) not null default now(),
  created_by text not null,
  updated_at timestamptz(3) not null default now(),
  rev integer not null default 1,
  primary key (org_id, id),
  unique (org_id, name)
);

create table members (
  org_id uuid not null references organizations (org_id) on delete cascade deferrable,
  id uuid not null,
  -- null: invited, and no account has accepted yet.
  user_id uuid references users (id) on delete cascade deferrable,
  -- The address of the invitation.
  email text collate "C" not null,
  status text not null check (status in ('invited', 'active')),
  invited_at timestamptz(3) not null default now(),
  created_by text not null,
  primary key (org_id, id),
  unique (org_id, user_id),
  check ((user_id is null) = (status = 'invited'))
);
create unique index members_invited on members (org_id, email) where user_id is null;
create index members_user on members (user_id);

-- Members with the address and name of their account.
create view member_profiles as
  select members.org_id, members.id, members.user_id, coalesce(users.email, members.email) as email,
    coalesce(users.display_name, '') as display_name, members.status, members.invited_at
  from members left join users on users.id = members.user_id;

create table member_roles (
  org_id uuid not null,
  member_id uuid not null,
  role_id uuid not null,
  primary key (org_id, member_id, role_id),
  foreign key (org_id, member_id) references members (org_id, id) on delete cascade deferrable,
  foreign key (org_id, role_id) references roles (org_id, id) deferrable
);
create index member_roles_role on member_roles (org_id, role_id);

create table invitations (
  org_id uuid not null,
  id uuid not null,
  member_id uuid not null,
  token_hash bytea not null unique,
  prefix text not null,
  sent boolean not null,
  created_at timestamptz(3) not null default now(),
  created_by text not null,
  expires_at timestamptz(3) not null,
  primary key (org_id, id),
  unique (org_id, member_id),
  foreign key (org_id, member_id) references members (org_id, id) on delete cascade deferrable
);

create table notifications (
  org_id uuid not null references organizations (org_id) on delete cascade deferrable,
  id uuid not null,
  user_id uuid not null references users (id) on delete cascade deferrable,
  kind text not null check (kind in ('release_approval_pending', 'release_failed', 'tests_failed', 'member_changed')),
  ref_type text not null,
  ref_id text not null,
  payload json not null,
  read_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  primary key (org_id, id)
);
create index notifications_of_user on notifications (org_id, user_id, id desc);
create index notifications_unread on notifications (org_id, user_id) where read_at is null;

-- No foreign keys: an entry outlives everything that it names, also its organization.
create table audit_entries (
  org_id uuid not null,
  id uuid not null,
  at timestamptz(3) not null default now(),
  project_id uuid,
  actor_type text not null check (actor_type in ('user', 'key', 'server', 'system')),
  actor_id text not null,
  actor_name text not null,
  action text collate "C" not null,
  object_type text collate "C" not null,
  object_id text not null,
  object_name text not null,
  before json,
  after json,
  ip text,
  request_id text,
  primary key (org_id, id)
);
create index audit_entries_actor on audit_entries (org_id, actor_id, id desc);
create index audit_entries_object on audit_entries (org_id, object_id, id desc);
create index audit_entries_project on audit_entries (org_id, project_id, id desc);
create index audit_entries_action on audit_entries (org_id, action, id desc);

create table api_keys (
  org_id uuid not null references organizations (org_id) on delete cascade deferrable,
  id uuid not null,
  name text collate "C" not null,
  token_hash bytea not null unique,
  prefix text not null,
  scopes text[] not null,
  -- null: every project, every environment.
  project_ids uuid[],
  environments text[],
  -- The member whose removal ends the key; null: it belongs to the organization alone.
  user_id uuid references users (id) on delete cascade deferrable,
  expires_at timestamptz(3),
  last_used_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  created_by text not null,
  updated_at timestamptz(3) not null default now(),
  rev integer not null default 1,
  primary key (org_id, id),
  unique (org_id, name)
);
create index api_keys_user on api_keys (user_id);
