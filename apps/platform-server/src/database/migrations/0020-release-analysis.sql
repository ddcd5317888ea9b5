-- What a policy requires of the behaviour of released rulesets: changes of code that must be proved absent, the percentage of
-- recorded decisions that may change, and the coverage that cases must reach.
alter table release_policies
  add column forbid text[] not null default '{}',
  add column max_changed double precision check (max_changed between 0 and 100),
  add column require_coverage json;
-- What was known of a release at its creation; null: it was not analysed.
alter table release_contents
  add column analysis json;
alter table release_targets
  add column impact json;
