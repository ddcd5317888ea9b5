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
