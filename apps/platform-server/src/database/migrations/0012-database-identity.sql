-- The life of the data in this database: a restore begins another one. Engines keep it beside their revision, which means nothing
-- in another life.
create table database_identity (
  is_only boolean primary key default true check (is_only),
  id uuid not null
);
insert into database_identity (id) values (gen_random_uuid());

-- How the rulesets that an engine reports differ from those that it should have: a list of
-- `{tenant, name, digest, held, since}`; null: they do not differ.
alter table servers add column drift json;
-- The least `since` of the list.
alter table servers add column drift_since timestamptz(3);
-- When the engine was last sent the rulesets of the list; null: it was not.
alter table servers add column drift_repaired_at timestamptz(3);
-- The report and the revision that were found equal last: they need not be compared again.
alter table servers add column compared_digest text;
alter table servers add column compared_revision bigint;
create index servers_drift on servers (drift_since) where drift_since is not null;
