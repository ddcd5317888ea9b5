-- Jobs that decide recorded decisions again, by a candidate and by the content that was live when the job began.
create table replays (
  org_id uuid not null,
  id uuid not null,
  project_id uuid not null,
  environment_id uuid not null,
  ruleset_name text collate "C" not null,
  -- The candidate: a save, or the copy of a release.
  from_seq integer,
  release_id uuid,
  digest text collate "C" not null references ruleset_contents (digest) deferrable,
  base_version text not null,
  base_digest text collate "C" not null references ruleset_contents (digest) deferrable,
  base_release_id uuid,
  -- Decisions from the first time on, before the second.
  decided_from timestamptz(3),
  decided_to timestamptz(3) not null,
  -- Decisions there were at the beginning.
  total integer not null,
  -- The last decision that is done: the job continues with older ones.
  position_at timestamptz(3),
  position_id uuid,
  -- The sums so far.
  records json not null,
  status text not null default 'running' check (status in ('running', 'completed', 'failed')),
  -- Why it failed.
  error text,
  -- The turn of the replica that works on it; null: it has ended.
  fence bigint not null default 0,
  next_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  created_by text not null,
  updated_at timestamptz(3) not null default now(),
  -- Also the number of its last event.
  rev integer not null default 1,
  primary key (org_id, id),
  foreign key (org_id, project_id) references projects (org_id, id) on delete cascade deferrable,
  foreign key (org_id, environment_id) references environments (org_id, id) on delete cascade deferrable,
  foreign key (org_id, release_id) references releases (org_id, id) on delete cascade deferrable
);
create index replays_project on replays (org_id, project_id, created_at desc, id desc);
create index replays_next on replays (next_at) where next_at is not null;
create index replays_digest on replays (digest);
create index replays_base_digest on replays (base_digest);
