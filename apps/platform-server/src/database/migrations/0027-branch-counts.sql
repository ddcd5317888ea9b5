-- How often the engines of an environment have taken each branch of a content, day by day (UTC), kept for a bounded time. It
-- outlives the engine that counted.
create table branch_counts (
  org_id uuid not null,
  environment_id uuid not null,
  ruleset text collate "C" not null,
  digest text collate "C" not null,
  server_id uuid not null,
  -- The beginning of the day.
  day timestamptz(3) not null,
  executions bigint not null,
  -- By step: numbers in the order of the branches, last that of the default, or of no branch.
  branches json not null,
  primary key (org_id, environment_id, ruleset, digest, server_id, day),
  foreign key (org_id, environment_id) references environments (org_id, id) on delete cascade deferrable
);
create index branch_counts_server on branch_counts (org_id, server_id, day);
create index branch_counts_age on branch_counts (day);

alter table ruleset_statistics add column branches json not null default '{}';
