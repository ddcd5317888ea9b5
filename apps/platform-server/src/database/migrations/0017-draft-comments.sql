-- Comments of members on a ruleset that is being written, each at a place of it.
create table draft_comments (
  org_id uuid not null,
  id uuid not null,
  draft_id uuid not null,
  -- JSON pointer whose list items are named by their ids; empty: the whole ruleset.
  place text not null,
  text text not null,
  settled boolean not null default false,
  created_at timestamptz(3) not null default now(),
  -- Ids of users.
  created_by text not null,
  updated_at timestamptz(3) not null default now(),
  updated_by text not null,
  primary key (org_id, id),
  foreign key (org_id, draft_id) references drafts (org_id, id) on delete cascade deferrable
);
create index draft_comments_draft on draft_comments (org_id, draft_id, created_at, id);
