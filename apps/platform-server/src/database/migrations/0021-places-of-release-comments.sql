-- A comment on a release is at a place of one of its rulesets, or on the whole release, and is settled when nothing remains to
-- be done about it.
alter table release_comments
  -- Name of a ruleset of the release; null: the whole release.
  add column ruleset text,
  -- JSON pointer into that ruleset whose list items are named by their ids; empty: the whole ruleset.
  add column place text not null default '',
  add column settled boolean not null default false,
  add column updated_at timestamptz(3),
  add column updated_by text;
update release_comments set updated_at = created_at, updated_by = created_by;
alter table release_comments
  alter column updated_at set default now(),
  alter column updated_at set not null,
  -- Id of the user.
  alter column updated_by set not null;
